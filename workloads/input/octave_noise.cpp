#include "workloads/input/octave_noise.h"

#include <algorithm>

namespace traceml {

namespace {

// The sum of four 16-bit numbers: near normal, variance 1.
float draw_normal(Random& random) {
  const std::uint64_t bits = random.bits();
  const auto sum = static_cast<double>((bits & 0xffff) + ((bits >> 16) & 0xffff) +
                                       ((bits >> 32) & 0xffff) + (bits >> 48));
  constexpr double kMean = 2 * 65535.0;
  constexpr double kDeviation = 65536.0 * 0.57735;  // sqrt(4 / 12)
  return static_cast<float>((sum - kMean) / kDeviation);
}

ImageSize level_size(ImageSize size, int cell) {
  return {(size.width + cell - 1) / cell, (size.height + cell - 1) / cell};
}

// Twice as fine, with weights 3/4 and 1/4 along each axis.
void refine(const std::vector<float>& coarse, ImageSize from, std::vector<float>& fine,
            ImageSize to) {
  fine.resize(static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height));
  for (int y = 0; y < to.height; ++y) {
    const int near_y = y / 2;
    const int far_y = std::clamp(y % 2 == 0 ? near_y - 1 : near_y + 1, 0, from.height - 1);
    const float* near_row = &coarse[static_cast<std::size_t>(near_y) * from.width];
    const float* far_row = &coarse[static_cast<std::size_t>(far_y) * from.width];
    float* out = &fine[static_cast<std::size_t>(y) * to.width];
    for (int x = 0; x < to.width; ++x) {
      const int near_x = x / 2;
      const int far_x = std::clamp(x % 2 == 0 ? near_x - 1 : near_x + 1, 0, from.width - 1);
      out[x] = 0.5625F * near_row[near_x] + 0.1875F * (near_row[far_x] + far_row[near_x]) +
               0.0625F * far_row[far_x];
    }
  }
}

}  // namespace

void octave_noise(ImageSize size, OctaveRange range, Random& random, std::vector<float>& field,
                  std::vector<float>& scratch) {
  ImageSize level = level_size(size, range.coarsest);
  field.assign(static_cast<std::size_t>(level.width) * static_cast<std::size_t>(level.height), 0);
  for (int cell = range.coarsest;; cell /= 2) {
    if (cell >= range.finest) {
      for (float& value : field) value += draw_normal(random);
    }
    if (cell == 1) return;
    const ImageSize finer = level_size(size, cell / 2);
    refine(field, level, scratch, finer);
    field.swap(scratch);
    level = finer;
  }
}

}  // namespace traceml
