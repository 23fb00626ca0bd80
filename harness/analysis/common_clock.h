#pragma once
// Rule 3 of docs/clocks.md: two sides are compared on one clock or not at all.

#include <optional>

#include "harness/analysis/outcome.h"

namespace traceml {

// One side of a comparison of aggregates, stored or foreign: step times in any one unit. Null: not
// measured (step_gpu: device coverage incomplete). NaN stands for what was given and is no time.
struct ClockSide {
  std::optional<Clock> selected;  // of its window
  std::optional<double> step_cpu;
  std::optional<double> step_gpu;
};

// gpu if both sides have it, else cpu if both have it, else null.
std::optional<Clock> common_clock(const ClockSide& baseline, const ClockSide& candidate);

struct ClockComparison {
  std::optional<Clock> clock;
  std::optional<double> ratio;  // candidate / baseline; null where either is no time
  Outcome outcome = Outcome::kInconclusive;
  Reason reason = Reason::kSingleRun;  // one run a side never reaches a verdict
  bool phases_comparable = false;      // both windows selected the same clock
};

ClockComparison compare_on_common_clock(const ClockSide& baseline, const ClockSide& candidate);

}  // namespace traceml
