#include "workloads/gpu_input/resize_taps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "tests/workloads/input/test_images.h"
#include "workloads/input/resize.h"
#include "workloads/input/resize_weights.h"

namespace traceml {
namespace {

// Input -> weight of one output, as the CPU's loader resizes.
std::map<int, double> weights_of_cpu(const AxisTable& axis, int output) {
  std::map<int, double> weights;
  for (int k = 0; k < axis.count[output]; ++k) {
    const int weight = axis.weights[output * axis.taps + k];
    if (weight != 0) {
      weights[axis.first[output] + k] = weight / static_cast<double>(1 << axis.precision);
    }
  }
  return weights;
}

std::map<int, double> weights_of_gpu(int output, int inputs, int outputs) {
  const AxisTaps taps = axis_taps(output, inputs, outputs);
  const float total = total_weight(taps);
  std::map<int, double> weights;
  for (int i = taps.begin; i < taps.end; ++i) {
    if (tap_weight(taps, i) > 0) weights[i] = static_cast<double>(tap_weight(taps, i) / total);
  }
  return weights;
}

TEST(ResizeTaps, WeighInputsAsTheCpuDoes) {
  constexpr double kRounding = 1e-4;  // 15 bits of the largest weight
  for (const int outputs : {1, 8, 224}) {
    for (const int inputs : {1, 2, 60, 223, 224, 225, 317, 512, 4000}) {
      AxisWeights axis;
      axis.compute(inputs, outputs, false);
      for (int output = 0; output < outputs; ++output) {
        const auto cpu = weights_of_cpu(axis.table(), output);
        auto gpu = weights_of_gpu(output, inputs, outputs);
        for (const auto& [input, weight] : cpu) {
          ASSERT_NEAR(gpu[input], weight, kRounding) << "input " << input << " of output " << output
                                                     << ", " << inputs << " to " << outputs;
          gpu.erase(input);
        }
        for (const auto& [input, weight] : gpu) ASSERT_LT(weight, kRounding) << input;
      }
    }
  }
}

TEST(ResizeTaps, StayInsideTheInputs) {
  for (const int inputs : {1, 3, 60, 511, 4000}) {
    for (int output = 0; output < 224; ++output) {
      const AxisTaps taps = axis_taps(output, inputs, 224);
      EXPECT_GE(taps.begin, 0);
      EXPECT_LE(taps.end, inputs);
      EXPECT_GT(total_weight(taps), 0.0F) << inputs << ", " << output;
    }
  }
}

// Both rows of each pair, as the kernel's threads make them.
std::vector<std::uint8_t> resized_as_on_gpu(const ResizeSource& source, int size, bool mirrored) {
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(size) * size * 3);
  const auto put = [&](int x, int y, const Rgb& pixel) {
    for (int c = 0; c < 3; ++c) {
      rows[static_cast<std::size_t>((y * size + x) * 3 + c)] =
          static_cast<std::uint8_t>(pixel.values[c]);
    }
  };
  for (int y = 0; y < size; y += 2) {
    for (int x = 0; x < size; ++x) {
      const RgbPair pair = resized_pair(source, mirrored ? size - 1 - x : x, y, size);
      put(x, y, pair.upper);
      if (y + 1 < size) put(x, y + 1, pair.lower);
    }
  }
  return rows;
}

ResizeSource source_of(const ImageView& view) {
  return {view.pixels, static_cast<std::int64_t>(view.stride), view.width, view.height, view.width,
          view.height};
}

TEST(ResizedPairs, AreWithinOneOfTheCpusPixels) {
  std::uint64_t key = 1;
  for (const int size : {1, 31, 224}) {
    for (const ImageSize& crop : {ImageSize{224, 224}, {100, 60}, {317, 512}, {1, 1}, {900, 40}}) {
      const TestPixels pixels = random_pixels(crop, ++key);
      for (const bool mirrored : {false, true}) {
        std::vector<std::uint8_t> expected(static_cast<std::size_t>(size) * size * 3);
        Resizer({size, size}).resize(pixels.view, mirrored, expected.data());
        const auto made = resized_as_on_gpu(source_of(pixels.view), size, mirrored);
        double sum = 0;
        for (std::size_t i = 0; i < made.size(); ++i) {
          const int off = std::abs(made[i] - expected[i]);
          ASSERT_LE(off, 1) << crop.width << " x " << crop.height << " to " << size << ", byte "
                            << i;
          sum += off;
        }
        EXPECT_LT(sum / static_cast<double>(made.size()), 0.05);
      }
    }
  }
}

TEST(ResizedPairs, RepeatTheLastColumnAndRowThatHoldPixels) {
  const TestPixels pixels = random_pixels({40, 30}, 9);
  // The same with what lies behind them written out.
  std::vector<std::uint8_t> repeated = packed(pixels.view);
  for (int y = 0; y < 30; ++y) {
    for (int x = 0; x < 40; ++x) {
      for (int c = 0; c < 3; ++c) {
        repeated[static_cast<std::size_t>((y * 40 + x) * 3 + c)] =
            pixels.view.pixels[static_cast<std::size_t>(std::min(y, 28)) * pixels.view.stride +
                               static_cast<std::size_t>(std::min(x, 37) * 3 + c)];
      }
    }
  }
  ResizeSource cut = source_of(pixels.view);
  cut.columns = 38;
  cut.rows = 29;
  const ResizeSource whole{repeated.data(), 40 * 3, 40, 30, 40, 30};
  for (const int size : {8, 64}) {
    EXPECT_EQ(resized_as_on_gpu(cut, size, false), resized_as_on_gpu(whole, size, false));
  }
}

}  // namespace
}  // namespace traceml
