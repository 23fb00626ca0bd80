#include "workloads/gpu_input/decoded_region.h"

#include <gtest/gtest.h>

namespace traceml {
namespace {

TEST(DecodedRegion, HoldsTheCropAndItsNeighboursInWholeBlocks) {
  EXPECT_EQ(decoded_region({512, 384}, {100, 50, 200, 120}), (Crop{96, 48, 208, 128}));
  EXPECT_EQ(decoded_region({512, 384}, {96, 48, 208, 128}), (Crop{80, 32, 240, 160}))
      << "neighbours of a crop at the borders of blocks lie in the next ones";
}

TEST(DecodedRegion, StaysInsideTheImage) {
  EXPECT_EQ(decoded_region({333, 251}, {0, 0, 333, 251}), (Crop{0, 0, 333, 251}));
  EXPECT_EQ(decoded_region({333, 251}, {300, 240, 33, 11}), (Crop{288, 224, 45, 27}));
  EXPECT_EQ(decoded_region({5, 3}, {1, 1, 1, 1}), (Crop{0, 0, 5, 3}));
}

TEST(DecodedRegion, LeavesTwoPixelsAroundEveryCropThatHasThem) {
  const ImageSize image{200, 100};
  for (int left = 0; left < 180; left += 3) {
    for (int width = 1; left + width <= image.width; width += 7) {
      const Crop region = decoded_region(image, {left, 10, width, 20});
      EXPECT_LE(region.left, std::max(0, left - 2));
      EXPECT_GE(region.left + region.width, std::min(image.width, left + width + 2));
      EXPECT_LE(region.left + region.width, image.width);
    }
  }
}

}  // namespace
}  // namespace traceml
