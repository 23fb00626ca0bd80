#include "harness/ports/bucket_math.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace traceml {
namespace {

using testing::ElementsAre;

TEST(Bfloat16Test, KeepsWhatItCanHold) {
  for (const float value : {0.0f, -0.0f, 1.0f, -2.5f, 3.0e38f, 1.0e-38f}) {
    const float rounded = float_of_bfloat16(bfloat16_of_float(value));
    EXPECT_EQ(float_of_bfloat16(bfloat16_of_float(rounded)), rounded);
    EXPECT_LE(std::fabs(rounded - value), std::fabs(value) / 256);
  }
  EXPECT_EQ(bfloat16_of_float(1.0f), 0x3F80);
}

TEST(Bfloat16Test, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(bfloat16_of_float(1.0f + 0x1.8p-8f), 0x3F81) << "above the half: up";
  EXPECT_EQ(bfloat16_of_float(1.0f + 0x1p-8f), 0x3F80) << "half: to the even one below";
  EXPECT_EQ(bfloat16_of_float(1.0f + 0x1.8p-7f), 0x3F82) << "half: to the even one above";
}

TEST(Bfloat16Test, KeepsInfinitiesAndNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(float_of_bfloat16(bfloat16_of_float(infinity)), infinity);
  EXPECT_EQ(bfloat16_of_float(std::numeric_limits<float>::max()), 0x7F80) << "rounds to infinity";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(float_of_bfloat16(bfloat16_of_float(nan))));
}

TEST(BucketMathTest, AveragesInPlaceOverParts) {
  std::vector<float> first = {1, 2, 3};
  std::vector<float> second = {3, 6, 0};
  average_in_place({first.data(), second.data()}, 3, ElementType::kFloat32);
  EXPECT_THAT(first, ElementsAre(2, 4, 1.5f));
  EXPECT_EQ(first, second);
}

TEST(BucketMathTest, AddsAndScalesBothTypes) {
  std::vector<float> floats = {1, 2};
  const std::vector<float> more = {10, 20};
  add_to(floats.data(), more.data(), 2, ElementType::kFloat32);
  scale(floats.data(), 2, ElementType::kFloat32, 0.5f);
  EXPECT_THAT(floats, ElementsAre(5.5f, 11.0f));

  std::vector<std::uint16_t> halves = {bfloat16_of_float(1), bfloat16_of_float(2)};
  const std::vector<std::uint16_t> others = {bfloat16_of_float(4), bfloat16_of_float(8)};
  add_to(halves.data(), others.data(), 2, ElementType::kBfloat16);
  scale(halves.data(), 2, ElementType::kBfloat16, 0.5f);
  EXPECT_EQ(float_of_bfloat16(halves[0]), 2.5f);
  EXPECT_EQ(float_of_bfloat16(halves[1]), 5.0f);
}

}  // namespace
}  // namespace traceml
