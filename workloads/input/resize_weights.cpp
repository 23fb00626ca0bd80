#include "workloads/input/resize_weights.h"

#include <algorithm>
#include <cmath>

namespace traceml {

namespace {

constexpr int kOutputGroup = 4;
constexpr int kTapGroup = 4;

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

void AxisWeights::compute(int inputs, int outputs, bool mirrored) {
  compute(inputs, 0, inputs, outputs, mirrored);
}

void AxisWeights::compute(int inputs, double begin_of_span, double length, int outputs,
                          bool mirrored) {
  const double scale = length / outputs;
  const double support = std::max(scale, 1.0);
  const double inverse = scale >= 1.0 ? 1.0 / scale : 1.0;
  const int most = static_cast<int>(std::ceil(support)) * 2 + 1;
  inputs_ = inputs;
  outputs_ = outputs;
  taps_ = round_up(most, kTapGroup);
  const int padded = round_up(outputs, kOutputGroup);
  first_.assign(static_cast<std::size_t>(padded), 0);
  count_.assign(static_cast<std::size_t>(padded), 0);
  exact_.assign(static_cast<std::size_t>(padded) * taps_, 0.0);
  double largest = 0.0;
  for (int i = 0; i < outputs; ++i) {
    const std::size_t out = static_cast<std::size_t>(mirrored ? outputs - 1 - i : i);
    const double centre = begin_of_span + scale * (i + 0.5);
    const int begin = std::max(static_cast<int>(centre - support + 0.5), 0);
    const int end = std::min(static_cast<int>(centre + support + 0.5), inputs);
    const int count = std::clamp(end - begin, 0, most);
    // The window of all taps stays inside the row where the row is long enough.
    first_[out] = std::clamp(inputs - taps_, 0, begin);
    const int shift = begin - first_[out];
    count_[out] = shift + count;
    double* weights = &exact_[out * taps_ + shift];
    double total = 0.0;
    for (int k = 0; k < count; ++k) {
      const double distance = std::abs((k + begin - centre + 0.5) * inverse);
      weights[k] = distance < 1.0 ? 1.0 - distance : 0.0;
      total += weights[k];
    }
    for (int k = 0; k < count && total != 0.0; ++k) {
      weights[k] /= total;
      largest = std::max(largest, weights[k]);
    }
  }
  quantise(largest);
}

void AxisWeights::quantise(double largest) {
  constexpr int kMostBits = 22;
  precision_ = 0;
  while (precision_ < kMostBits &&
         static_cast<int>(0.5 + largest * (1 << (precision_ + 1))) < (1 << 15)) {
    ++precision_;
  }
  weights_.resize(exact_.size());
  const double unit = 1 << precision_;
  for (std::size_t i = 0; i < exact_.size(); ++i) {
    weights_[i] = static_cast<std::int16_t>(0.5 + exact_[i] * unit);
  }
}

AxisTable AxisWeights::table() const {
  return {first_.data(), count_.data(), weights_.data(), inputs_, outputs_, taps_, precision_};
}

}  // namespace traceml
