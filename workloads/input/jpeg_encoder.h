#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "workloads/input/image.h"

namespace traceml {

enum class PixelForm { kRgb, kYcc };  // interleaved, 8 bits; YCC as JFIF defines it

// Writes baseline JPEG, 4:2:0, standard Huffman tables. One thread at a time; keeps its buffer.
class JpegEncoder {
 public:
  JpegEncoder();
  ~JpegEncoder();
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;

  // `pixels`: rows without gaps. `quality`: 1 .. 100 as libjpeg scales it. Valid until the next
  // call. Throws RunError.
  std::span<const std::uint8_t> encode(std::span<const std::uint8_t> pixels, ImageSize size,
                                       PixelForm form, int quality);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace traceml
