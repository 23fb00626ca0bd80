#pragma once

#include <cstdint>
#include <span>

#include "workloads/input/jpeg_encoder.h"
#include "workloads/input/photo_synthesis.h"

namespace traceml {

inline constexpr int kLeastLongSide = 16;   // pixels
inline constexpr int kMostLongSide = 8192;  // pixels

// One JPEG file of a look-alike of Food-101: a shape out of its mixture, a file size out of a
// lognormal distribution, and a synthetic photograph with as much detail as makes that size.
// One thread at a time.
class PhotoFile {
 public:
  // `key` decides the file. Valid until the next call.
  std::span<const std::uint8_t> make(int long_side, std::uint64_t key);

  ImageSize size() const { return size_; }

 private:
  ImageSize size_;
  PhotoSynthesis scene_;
  JpegEncoder encoder_;
};

}  // namespace traceml
