#include "harness/analysis/steadiness.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "harness/analysis/quantiles.h"
#include "harness/analysis/statistics.h"

namespace traceml {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void add_log_ratio(std::span<const double> numerator, std::span<const double> denominator,
                   std::vector<double>& ratios) {
  const double ratio = mean_of(numerator) / mean_of(denominator);
  if (std::isfinite(ratio) && ratio > 0) ratios.push_back(std::log(ratio));
}

// By unit: the launch of a window, or the window itself.
using RatiosByUnit = std::map<std::int64_t, std::vector<double>>;

void add_thirds(std::span<const WindowSeries> windows, std::size_t period,
                std::int64_t windows_per_launch, RatiosByUnit& ratios) {
  for (const WindowSeries& window : windows) {
    const std::span<const double> steps = window.steps_ms;
    const std::size_t third = steps.size() / 3 / period * period;
    const std::int64_t unit = windows_per_launch > 0 ? window.window.value / windows_per_launch
                                                     : static_cast<std::int64_t>(ratios.size());
    if (third > 0) add_log_ratio(steps.first(third), steps.last(third), ratios[unit]);
  }
}

std::vector<double> means_of(const RatiosByUnit& ratios) {
  std::vector<double> means;
  for (const auto& [unit, values] : ratios) {
    if (!values.empty()) means.push_back(mean_of(values));
  }
  return means;
}

std::vector<double> first_period_ratios(std::span<const WindowSeries> windows, std::size_t period) {
  std::vector<double> ratios;
  for (const WindowSeries& window : windows) {
    const std::span<const double> steps = window.steps_ms;
    if (steps.size() > period) add_log_ratio(steps.first(period), steps.subspan(period), ratios);
  }
  return ratios;
}

}  // namespace

bool Steadiness::flagged(double delta) const {
  return std::abs(t) > critical && std::abs(mean) > delta / 2;
}

std::optional<Steadiness> steadiness_of(std::span<const WindowSeries> candidate,
                                        std::span<const WindowSeries> baseline, int period,
                                        std::int64_t windows_per_launch) {
  const auto steps = static_cast<std::size_t>(std::max(period, 1));
  RatiosByUnit by_unit;
  add_thirds(candidate, steps, windows_per_launch, by_unit);
  add_thirds(baseline, steps, windows_per_launch, by_unit);
  const std::vector<double> ratios = means_of(by_unit);
  const std::optional<Estimate> estimate = launch_estimate(ratios);
  if (!estimate) return std::nullopt;
  return Steadiness{static_cast<std::int64_t>(ratios.size()), estimate->theta,
                    estimate->theta / estimate->spread->se,
                    student_quantile(0.025, estimate->spread->df)};
}

std::optional<CarryOver> carry_over_of(std::span<const WindowSeries> candidate,
                                       std::span<const WindowSeries> baseline, int period) {
  const auto steps = static_cast<std::size_t>(std::max(period, 1));
  const auto a = launch_estimate(first_period_ratios(candidate, steps));
  const auto b = launch_estimate(first_period_ratios(baseline, steps));
  if (!a || !b) return std::nullopt;
  const double va = a->spread->se * a->spread->se, vb = b->spread->se * b->spread->se;
  const double df = (va + vb) * (va + vb) / (va * va / a->spread->df + vb * vb / b->spread->df);
  CarryOver result;
  result.difference = a->theta - b->theta;
  result.t = result.difference / std::sqrt(va + vb);
  result.clear = std::abs(result.t) > student_quantile(0.005, df);
  return result;
}

}  // namespace traceml
