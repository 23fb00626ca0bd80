#pragma once
// Shapes that decoder, crop and resize share. Pixels are 8-bit RGB, interleaved.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace traceml {

struct ImageSize {
  int width = 0;   // pixels
  int height = 0;  // pixels
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// A crop that need not begin or end at whole pixels of a view.
struct Window {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

// Long side of Food-101's images, in pixels: buffers for such are made beforehand, so that their
// decoding allocates nothing.
inline constexpr int kUsualSide = 512;

struct Crop {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  friend bool operator==(const Crop&, const Crop&) = default;
};

// Bytes that must be readable behind the last pixel of a view that is resized.
inline constexpr std::size_t kReadPadding = 32;

struct ImageView {
  const std::uint8_t* pixels = nullptr;  // not owned
  int width = 0;
  int height = 0;
  std::size_t stride = 0;  // bytes from row to row
};

// Makes room for `needed` bytes, and for some more, so that growing ends soon.
inline void make_room(std::vector<std::uint8_t>& buffer, std::size_t needed) {
  if (buffer.size() < needed) buffer.resize(needed + needed / 2);
}

// The file is bad, not the machine: what() completes "images/a/1.jpg ...", as in "is truncated".
class ImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace traceml
