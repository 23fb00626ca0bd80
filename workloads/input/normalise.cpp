#include "workloads/input/normalise.h"

#include <array>
#include <cstddef>

namespace traceml {

namespace {

constexpr std::size_t kChannels = 3;
constexpr std::array<float, kChannels> kMean = {0.485F, 0.456F, 0.406F};
constexpr std::array<float, kChannels> kStd = {0.229F, 0.224F, 0.225F};

using NormalTable = std::array<std::array<float, 256>, kChannels>;

constexpr NormalTable make_normal_table() {
  NormalTable table{};
  for (std::size_t c = 0; c < kChannels; ++c) {
    for (std::size_t x = 0; x < 256; ++x) {
      table[c][x] = (static_cast<float>(x) / 255.0F - kMean[c]) / kStd[c];
    }
  }
  return table;
}

constexpr NormalTable kNormal = make_normal_table();

}  // namespace

void normalise(std::span<const std::uint8_t> bytes, float* values) {
  for (std::size_t i = 0; i + kChannels <= bytes.size(); i += kChannels) {
    for (std::size_t c = 0; c < kChannels; ++c) values[i + c] = kNormal[c][bytes[i + c]];
  }
}

}  // namespace traceml
