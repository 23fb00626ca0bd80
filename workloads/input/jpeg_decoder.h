#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "workloads/input/image.h"

namespace traceml {

struct JpegHeader {
  ImageSize size;
  bool grey = false;
};

// Decodes part of a JPEG file with libjpeg-turbo: accurate integer IDCT, fancy upsampling, RGB
// (grey is widened). The pixels equal those of a decode of the whole image bit for bit. One thread
// at a time; keeps its buffers. All members throw ImageError for a bad file: empty, no JPEG,
// truncated, corrupt, CMYK, more than 2^26 pixels. A file that does not end with an end-of-image
// marker is decoded to its end, so that a cut below the crop is found too.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // `file` must stay as it is until decode() returns.
  JpegHeader read_header(std::span<const std::uint8_t> file);

  // The crop of the image whose header was read last. Valid until the next call; kReadPadding bytes
  // are readable behind it.
  ImageView decode(const Crop& crop);

  // The same of an image that is decoded at 1/2, 1/4 or 1/8 of its size, for which libjpeg computes
  // fewer coefficients: every pixel is about the mean of as many of the whole image's. The view
  // holds the pixels that the crop touches; `window` becomes the crop in pixels of the view.
  ImageView decode_scaled(const Crop& crop, int denominator, Window* window);

 private:
  ImageView decode_part(const Crop& crop, int denominator);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace traceml
