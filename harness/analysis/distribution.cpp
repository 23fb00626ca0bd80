#include "harness/analysis/distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace traceml {

namespace {

double percentile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const double below = std::floor(place);
  const std::size_t i = static_cast<std::size_t>(below);
  if (i + 1 >= sorted.size()) return sorted.back();
  return sorted[i] + (place - below) * (sorted[i + 1] - sorted[i]);
}

}  // namespace

std::optional<Distribution> distribution_of(std::vector<double> values_ms) {
  if (values_ms.empty()) return std::nullopt;
  std::sort(values_ms.begin(), values_ms.end());
  const double count = static_cast<double>(values_ms.size());
  Distribution result;
  result.count = static_cast<std::int64_t>(values_ms.size());
  result.mean = Millis(std::accumulate(values_ms.begin(), values_ms.end(), 0.0) / count);
  result.median = Millis(percentile(values_ms, 0.5));
  result.p5 = Millis(percentile(values_ms, 0.05));
  result.p95 = Millis(percentile(values_ms, 0.95));
  result.p99 = Millis(percentile(values_ms, 0.99));
  result.min = Millis(values_ms.front());
  result.max = Millis(values_ms.back());
  return result;
}

std::optional<Fences> fences_of(std::vector<double> values) {
  if (values.size() < 4) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double q1 = percentile(values, 0.25), q3 = percentile(values, 0.75);
  const double reach = 3 * (q3 - q1);
  return Fences{q1 - reach, q3 + reach};
}

std::int64_t count_outliers(const std::vector<double>& values) {
  const std::optional<Fences> fences = fences_of(values);
  if (!fences) return 0;
  return std::count_if(values.begin(), values.end(),
                       [&](double v) { return v < fences->lower || v > fences->upper; });
}

}  // namespace traceml
