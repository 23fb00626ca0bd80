#include "workloads/input/random_resized_crop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

namespace traceml {

void PrintTo(const Crop& crop, std::ostream* out) {
  *out << crop.width << "x" << crop.height << " at " << crop.left << "," << crop.top;
}

namespace {

TEST(RandomResizedCrop, StaysInsideTheImageAndInsideScaleAndRatio) {
  Random random(1);
  const ImageSize image{512, 384};
  for (int i = 0; i < 20000; ++i) {
    const Crop crop = random_resized_crop(image, random);
    ASSERT_GE(crop.left, 0);
    ASSERT_GE(crop.top, 0);
    ASSERT_LE(crop.left + crop.width, image.width);
    ASSERT_LE(crop.top + crop.height, image.height);
    const double area = static_cast<double>(crop.width) * crop.height / (512.0 * 384.0);
    const double ratio = static_cast<double>(crop.width) / crop.height;
    // Rounding to pixels moves each side by half a pixel at most.
    ASSERT_GT(area, 0.079);
    ASSERT_GT(ratio, 0.74);
    ASSERT_LT(ratio, 1.345);
  }
}

TEST(RandomResizedCrop, DrawsAreaUniformlyAndRatioUniformlyInItsLogarithm) {
  Random random(2);
  // So wide that every draw fits: scale up to 1 of a square has sides up to 1155 of 1000.
  double area_sum = 0;
  double log_ratio_sum = 0;
  double log_ratio_squares = 0;
  int used = 0;
  for (int i = 0; i < 40000; ++i) {
    const Crop crop = random_resized_crop({1000, 1000}, random);
    const double area = static_cast<double>(crop.width) * crop.height / 1e6;
    if (area > 0.7) continue;  // below it no ratio is rejected: 0.7 * 4/3 < 1
    ++used;
    area_sum += area;
    const double log_ratio = std::log(static_cast<double>(crop.width) / crop.height);
    log_ratio_sum += log_ratio;
    log_ratio_squares += log_ratio * log_ratio;
  }
  const double half_range = std::log(4.0 / 3.0);
  EXPECT_NEAR(area_sum / used, (0.08 + 0.7) / 2, 0.004);
  EXPECT_NEAR(log_ratio_sum / used, 0.0, 0.004);
  EXPECT_NEAR(log_ratio_squares / used, half_range * half_range / 3, 0.001);
}

TEST(RandomResizedCrop, PlacesTheCropEverywhereIncludingTheLastPixel) {
  Random random(3);
  bool at_left = false;
  bool at_right = false;
  bool at_bottom = false;
  for (int i = 0; i < 3000; ++i) {
    const Crop crop = random_resized_crop({12, 12}, random);
    at_left = at_left || crop.left == 0;
    at_right = at_right || (crop.width < 12 && crop.left + crop.width == 12);
    at_bottom = at_bottom || (crop.height < 12 && crop.top + crop.height == 12);
  }
  EXPECT_TRUE(at_left && at_right && at_bottom);
}

TEST(RandomResizedCrop, FallsBackToTheCentreWhereNoTryFits) {
  Random random(4);
  // An image 100 times as wide as high never holds a crop of 8 % of its area within the ratios.
  EXPECT_EQ(random_resized_crop({2000, 20}, random), (Crop{(2000 - 27) / 2, 0, 27, 20}));
  EXPECT_EQ(random_resized_crop({30, 3000}, random), (Crop{0, (3000 - 40) / 2, 30, 40}));
}

TEST(RandomResizedCrop, ServesASinglePixel) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random_resized_crop({1, 1}, random), (Crop{0, 0, 1, 1}));
  }
}

// Written down once: a change of the generator or of the order of its draws shows here.
TEST(RandomResizedCrop, IsTheSameOnEveryMachine) {
  Random random = sample_random(7, 3, 42);
  EXPECT_EQ(random_resized_crop({512, 384}, random), (Crop{117, 99, 220, 275}));
  EXPECT_EQ(random.bits(), 4474812236877127472U);
}

}  // namespace
}  // namespace traceml
