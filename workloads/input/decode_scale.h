#pragma once

#include "workloads/input/image.h"

namespace traceml {

// At 1 over what an image may be decoded whose `crop` is made `target` pixels large: 8, 4 or 2, for
// which libjpeg-turbo has SIMD code, where the crop still has as many pixels as the target; else 1.
// Always 1 for images of up to kUsualSide pixels: those of Food-101 come bit by bit as they are.
inline int decode_denominator(ImageSize image, const Crop& crop, ImageSize target) {
  if (image.width <= kUsualSide && image.height <= kUsualSide) return 1;
  for (const int denominator : {8, 4, 2}) {
    if (crop.width >= denominator * target.width && crop.height >= denominator * target.height) {
      return denominator;
    }
  }
  return 1;
}

}  // namespace traceml
