#include "harness/analysis/common_clock.h"

#include <cmath>

namespace traceml {

namespace {

bool is_time(double value) {
  return std::isfinite(value) && value > 0;
}

}  // namespace

std::optional<Clock> common_clock(const ClockSide& baseline, const ClockSide& candidate) {
  if (baseline.step_gpu && candidate.step_gpu) return Clock::kGpu;
  if (baseline.step_cpu && candidate.step_cpu) return Clock::kCpu;
  return std::nullopt;
}

ClockComparison compare_on_common_clock(const ClockSide& baseline, const ClockSide& candidate) {
  ClockComparison result;
  result.clock = common_clock(baseline, candidate);
  result.phases_comparable = baseline.selected && baseline.selected == candidate.selected;
  if (!result.clock) {
    result.reason = Reason::kNoCommonClock;
    return result;
  }
  const bool gpu = result.clock == Clock::kGpu;
  const double from = gpu ? *baseline.step_gpu : *baseline.step_cpu;
  const double to = gpu ? *candidate.step_gpu : *candidate.step_cpu;
  const double ratio = to / from;
  if (is_time(from) && is_time(to) && is_time(ratio)) {
    result.ratio = ratio;
  } else {
    result.reason = Reason::kNonfiniteOrNonpositiveTime;
  }
  return result;
}

}  // namespace traceml
