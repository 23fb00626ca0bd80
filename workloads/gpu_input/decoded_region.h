#pragma once

#include <algorithm>

#include "workloads/input/image.h"

namespace traceml {

// What is decoded for a crop: two pixels more on each side, for at its edges nvJPEG widens the
// chroma without their neighbours, in whole blocks, inside the image.
inline Crop decoded_region(ImageSize image, const Crop& crop) {
  constexpr int kMargin = 2;
  constexpr int kBlock = 16;
  const auto down = [](int pixel) { return std::max(0, pixel - kMargin) / kBlock * kBlock; };
  const auto up = [](int pixel, int most) {
    return std::min(most, (pixel + kMargin + kBlock - 1) / kBlock * kBlock);
  };
  const int left = down(crop.left);
  const int top = down(crop.top);
  return {left, top, up(crop.left + crop.width, image.width) - left,
          up(crop.top + crop.height, image.height) - top};
}

}  // namespace traceml
