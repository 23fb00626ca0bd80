#include "workloads/input/resize.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/workloads/input/test_images.h"
#include "workloads/input/random.h"

namespace traceml {
namespace {

std::vector<std::uint8_t> resized(const ImageView& source, ImageSize target, bool mirrored,
                                  const ResizeKernels& kernels) {
  Resizer resizer(target, kernels);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(target.width) * target.height * 3);
  resizer.resize(source, mirrored, bytes.data());
  return bytes;
}

std::vector<std::uint8_t> flipped(const std::vector<std::uint8_t>& pixels, ImageSize size) {
  std::vector<std::uint8_t> result(pixels.size());
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const int row = y * size.width;
        result[(row + x) * 3 + c] = pixels[(row + size.width - 1 - x) * 3 + c];
      }
    }
  }
  return result;
}

TEST(AxisWeights, HalvesByTheTriangleThatSpansTwoOutputs) {
  AxisWeights weights;
  weights.compute(32, 16, false);
  const AxisTable table = weights.table();
  // Output 1 is centred on 4.0 - 1.0 = 3.0 and reaches 2 inputs to each side: 1/8 3/8 3/8 1/8.
  EXPECT_EQ(table.first[1], 1);
  ASSERT_GE(table.count[1], 4);
  const std::int16_t* taps = table.weights + table.taps;
  EXPECT_EQ(taps[0] * 3, taps[1]);
  EXPECT_EQ(taps[0], taps[3]);
  EXPECT_EQ(taps[1], taps[2]);
  EXPECT_EQ(taps[0] * 8, 1 << table.precision);
}

TEST(AxisWeights, UseAsManyBitsAsTheLargestWeightLeavesRoomFor) {
  for (int inputs = 1; inputs < 700; inputs += 13) {
    AxisWeights weights;
    weights.compute(inputs, 224, false);
    const AxisTable table = weights.table();
    int largest = 0;
    for (int i = 0; i < table.outputs * table.taps; ++i) {
      largest = std::max<int>(largest, table.weights[i]);
    }
    EXPECT_GE(largest, 1 << 14) << inputs;
    EXPECT_LT(largest, 1 << 15) << inputs;
  }
}

TEST(Resize, KeepsAnImageOfTheSameSize) {
  const TestPixels pixels = random_pixels({37, 21}, 3);
  for (int i = 0; i < runnable_kernels().count; ++i) {
    EXPECT_EQ(resized(pixels.view, {37, 21}, false, *runnable_kernels().variants[i]),
              packed(pixels.view));
  }
}

TEST(Resize, AveragesNeighboursWhenItHalves) {
  const std::vector<std::uint8_t> row = {10, 0, 255, 30, 0, 255, 50, 0, 255, 70, 0, 255};
  std::vector<std::uint8_t> padded = row;
  padded.resize(row.size() + kReadPadding);
  const ImageView view{padded.data(), 4, 1, row.size()};
  // Weights 3/7 3/7 1/7 at the left edge: (30 + 90 + 50) / 7 = 24.3; mirrored 390 / 7 = 55.7.
  EXPECT_EQ(resized(view, {2, 1}, false, scalar_kernels()),
            (std::vector<std::uint8_t>{24, 0, 255, 56, 0, 255}));
}

TEST(Resize, MirroredEqualsAFlipAfterwards) {
  const TestPixels pixels = random_pixels({91, 53}, 4);
  const ImageSize target{38, 27};
  EXPECT_EQ(resized(pixels.view, target, true, runnable_kernels().best()),
            flipped(resized(pixels.view, target, false, runnable_kernels().best()), target));
}

TEST(Resize, GivesTheSameBytesWithEveryInstructionSet) {
  const KernelChoice kernels = runnable_kernels();
  if (kernels.count < 2) GTEST_SKIP() << "this processor runs the scalar kernels alone";
  Random random(17);
  for (int i = 0; i < 300; ++i) {
    const int span = i % 3 == 0 ? 12 : 500;
    const ImageSize source{1 + random.below(span), 1 + random.below(span)};
    const ImageSize target{1 + random.below(i % 2 == 0 ? 9 : 230), 1 + random.below(230)};
    const TestPixels pixels = random_pixels(source, static_cast<std::uint64_t>(i));
    const bool mirrored = random.coin();
    ASSERT_EQ(resized(pixels.view, target, mirrored, *kernels.variants[0]),
              resized(pixels.view, target, mirrored, *kernels.variants[1]))
        << source.width << "x" << source.height << " to " << target.width << "x" << target.height;
  }
}

TEST(Resize, TakesAPartThatBeginsBetweenPixels) {
  // A ramp of 2 a pixel, from left to right: its value tells the place.
  constexpr int kWidth = 120;
  std::vector<std::uint8_t> ramp(kWidth * 3 + kReadPadding);
  for (int i = 0; i < kWidth * 3; ++i)
    ramp[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i / 3 * 2);
  const ImageView view{ramp.data(), kWidth, 1, kWidth * 3};
  Resizer resizer({10, 1});
  std::vector<std::uint8_t> row(30);
  for (const double left : {4.0, 4.25, 4.5, 4.75}) {
    resizer.resize(view, {left, 0, 40, 1}, false, row.data());
    for (int i = 0; i < 10; ++i) {
      const double centre = left + 4 * (i + 0.5) - 0.5;
      EXPECT_NEAR(row[static_cast<std::size_t>(i) * 3], 2 * centre, 0.51) << left << " " << i;
    }
  }
}

TEST(Resize, ReadsRowsThatLieFurtherApartThanTheirWidth) {
  const TestPixels pixels = random_pixels({60, 40}, 5);
  const ImageView part{pixels.view.pixels + 7 * pixels.view.stride + 11 * 3, 30, 20,
                       pixels.view.stride};
  std::vector<std::uint8_t> copy = packed(part);
  copy.resize(copy.size() + kReadPadding);
  const ImageView dense{copy.data(), 30, 20, 90};
  const ImageSize target{17, 19};
  EXPECT_EQ(resized(part, target, false, runnable_kernels().best()),
            resized(dense, target, false, runnable_kernels().best()));
}

}  // namespace
}  // namespace traceml
