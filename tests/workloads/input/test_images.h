#pragma once
// Images and folders that the tests make for themselves.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "workloads/input/image.h"

namespace traceml {

enum class TestColour { kGrey, kYcc, kCmyk, kYcck };

struct TestJpeg {
  int width = 64;
  int height = 48;
  TestColour colour = TestColour::kYcc;
  int luma_across = 2;  // sampling factors of the luma: 2, 2 is 4:2:0
  int luma_down = 2;
  bool progressive = false;
  int quality = 90;
  std::uint64_t key = 1;  // decides the content: smooth waves and noise
};

std::vector<std::uint8_t> make_jpeg(const TestJpeg& options);

// Packed pixels with room for reading behind them.
struct TestPixels {
  std::vector<std::uint8_t> bytes;
  ImageView view;
};
TestPixels random_pixels(ImageSize size, std::uint64_t key);
// A copy of the view without its padding.
std::vector<std::uint8_t> packed(const ImageView& view);

// A new folder, below the system's temporary one unless another is named; removed at the end.
class TestFolder {
 public:
  explicit TestFolder(const std::filesystem::path& below = std::filesystem::temp_directory_path());
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Makes the folders that `relative` names.
  void write(const std::string& relative, std::span<const std::uint8_t> bytes) const;
  void write(const std::string& relative, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

// A plain tree of `classes` folders with `images` small JPEG files in all, each with other pixels:
// class_0/image_0000.jpg, class_1/image_0001.jpg, ...
void write_plain_tree(const TestFolder& folder, int classes, int images);

}  // namespace traceml
