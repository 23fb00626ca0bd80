#include "tests/workloads/input/test_images.h"

#include <stdlib.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <jpeglib.h>

#include <fmt/format.h>

#include "workloads/input/random.h"

namespace traceml {

namespace {

J_COLOR_SPACE file_space(TestColour colour) {
  switch (colour) {
    case TestColour::kGrey:
      return JCS_GRAYSCALE;
    case TestColour::kYcc:
      return JCS_YCbCr;
    case TestColour::kCmyk:
      return JCS_CMYK;
    case TestColour::kYcck:
      return JCS_YCCK;
  }
  return JCS_UNKNOWN;
}

void fill_row(int y, int channels, Random& random, std::vector<std::uint8_t>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int c = static_cast<int>(i) % channels;
    const double x = static_cast<double>(i) / channels;
    const double wave = 128 + 70 * std::sin(0.11 * x + c) * std::cos(0.07 * y + 2 * c);
    row[i] = static_cast<std::uint8_t>(wave + random.uniform(-30, 30));
  }
}

}  // namespace

std::vector<std::uint8_t> make_jpeg(const TestJpeg& options) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  const bool grey = options.colour == TestColour::kGrey;
  const bool cmyk = options.colour == TestColour::kCmyk || options.colour == TestColour::kYcck;
  jpeg.image_width = static_cast<JDIMENSION>(options.width);
  jpeg.image_height = static_cast<JDIMENSION>(options.height);
  jpeg.input_components = grey ? 1 : (cmyk ? 4 : 3);
  jpeg.in_color_space = grey ? JCS_GRAYSCALE : (cmyk ? JCS_CMYK : JCS_RGB);
  jpeg_set_defaults(&jpeg);
  jpeg_set_colorspace(&jpeg, file_space(options.colour));
  jpeg_set_quality(&jpeg, options.quality, TRUE);
  jpeg.comp_info[0].h_samp_factor = options.luma_across;
  jpeg.comp_info[0].v_samp_factor = options.luma_down;
  if (options.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  Random random(options.key);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(options.width) * jpeg.input_components);
  for (int y = 0; y < options.height; ++y) {
    fill_row(y, jpeg.input_components, random, row);
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&jpeg, &pointer, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::vector<std::uint8_t> bytes(memory, memory + size);
  jpeg_destroy_compress(&jpeg);
  std::free(memory);
  return bytes;
}

TestPixels random_pixels(ImageSize size, std::uint64_t key) {
  TestPixels pixels;
  const std::size_t stride = static_cast<std::size_t>(size.width) * 3;
  pixels.bytes.resize(stride * static_cast<std::size_t>(size.height) + kReadPadding);
  Random random(key);
  for (std::uint8_t& value : pixels.bytes) {
    // Extremes are frequent, so that sums come near 0 and 255.
    const int drawn = random.below(400) - 72;
    value = static_cast<std::uint8_t>(drawn < 0 ? 0 : (drawn > 255 ? 255 : drawn));
  }
  pixels.view = {pixels.bytes.data(), size.width, size.height, stride};
  return pixels;
}

std::vector<std::uint8_t> packed(const ImageView& view) {
  std::vector<std::uint8_t> bytes;
  for (int y = 0; y < view.height; ++y) {
    const std::uint8_t* row = view.pixels + y * view.stride;
    bytes.insert(bytes.end(), row, row + static_cast<std::ptrdiff_t>(view.width) * 3);
  }
  return bytes;
}

TestFolder::TestFolder(const std::filesystem::path& below) {
  std::string pattern = (below / "traceml-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TestFolder::write(const std::string& relative, std::span<const std::uint8_t> bytes) const {
  const std::filesystem::path file = path_ / relative;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

void TestFolder::write(const std::string& relative, const std::string& text) const {
  write(relative, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void write_plain_tree(const TestFolder& folder, int classes, int images) {
  for (int i = 0; i < images; ++i) {
    const TestJpeg options{
        .width = 40 + i % 7, .height = 33 + i % 5, .key = static_cast<std::uint64_t>(i)};
    folder.write(fmt::format("class_{}/image_{:04}.jpg", i % classes, i), make_jpeg(options));
  }
}

}  // namespace traceml
