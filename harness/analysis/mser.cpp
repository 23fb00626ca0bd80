#include "harness/analysis/mser.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace traceml {

namespace {

constexpr double kNoticeable = 0.01;
constexpr double kSigmas = 3;
constexpr double kSdOfMad = 1.4826;     // of normal values, sd / median absolute deviation
constexpr double kSdOfMedian = 1.2533;  // sqrt(pi / 2): sd of a median / sd of a mean

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_of(std::span<const double> values) {
  return median_of(std::vector<double>(values.begin(), values.end()));
}

double robust_sd_of(std::span<const double> values) {
  const double median = median_of(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - median));
  return kSdOfMad * median_of(std::move(deviations));
}

double sd_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (n - 1));
}

// Means of whole batches; what is left at the end is no batch.
void add_batches(std::span<const double> steps, std::size_t size, std::vector<double>& means) {
  for (; steps.size() >= size; steps = steps.subspan(size)) {
    const auto batch = steps.first(size);
    means.push_back(std::accumulate(batch.begin(), batch.end(), 0.0) / static_cast<double>(size));
  }
}

// Median batch of each window that begins at or after `cut`; ends[i] is past the last batch of
// window i.
std::vector<double> medians_after(std::size_t cut, std::size_t begin,
                                  const std::vector<std::size_t>& ends,
                                  std::span<const double> batches) {
  std::vector<double> medians;
  for (const std::size_t end : ends) {
    if (begin >= cut && end > begin) {
      medians.push_back(median_of(batches.subspan(begin, end - begin)));
    }
    begin = end;
  }
  return medians;
}

}  // namespace

std::size_t mser_cut(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  std::size_t best = 0;
  double least = 0;
  double mean = 0;
  double squares = 0;  // sum of (x - mean)^2 from here to the end, by Welford's recurrence
  for (std::size_t cut = values.size(); cut-- > 0;) {
    const auto n = static_cast<double>(values.size() - cut);
    const double from_mean = values[cut] - mean;
    mean += from_mean / n;
    squares += from_mean * (values[cut] - mean);
    const double error = squares / (n * n);
    if (cut == half || (cut < half && error <= least)) {
      least = error;
      best = cut;
    }
  }
  return best;
}

std::optional<WarmupSuggestion> longer_warmup(std::span<const double> warmup_ms,
                                              std::span<const WindowSeries> windows, int period) {
  const auto size = static_cast<std::size_t>(std::max(period, 1));
  std::vector<double> batches;
  add_batches(warmup_ms, size, batches);
  const std::size_t warmup = batches.size();
  std::vector<std::size_t> ends;
  for (const WindowSeries& window : windows) {
    add_batches(window.steps_ms, size, batches);
    ends.push_back(batches.size());
  }
  const std::size_t cut = mser_cut(batches);
  if (cut <= warmup) return std::nullopt;

  const std::span<const double> all = batches;
  const std::vector<double> later = medians_after(cut, warmup, ends, all);
  if (later.size() < 3) return std::nullopt;
  const auto left_out = all.subspan(warmup, cut - warmup);
  const auto kept = all.subspan(cut);
  const double usual = median_of(kept);
  const double excess = median_of(left_out) - usual;
  const double noise = std::max(sd_of(later), kSdOfMedian * robust_sd_of(kept) /
                                                  std::sqrt(static_cast<double>(left_out.size())));
  const bool stands_out =
      std::abs(excess) > kNoticeable * usual && std::abs(excess) > kSigmas * noise;
  if (!stands_out) return std::nullopt;
  return WarmupSuggestion{static_cast<std::int64_t>(cut * size), cut == batches.size() / 2,
                          excess / usual};
}

}  // namespace traceml
