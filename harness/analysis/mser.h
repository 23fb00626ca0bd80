#pragma once
// A suggestion for the length of warm-up (docs/statistics.md, 2.10). Never a gate.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/steadiness.h"

namespace traceml {

// MSER (White 1997): how many values at the front to leave out so that the mean of the others has
// the least standard error, sum (x - mean)^2 / n^2. At most half of them; 0 where there is none.
std::size_t mser_cut(std::span<const double> values);

struct WarmupSuggestion {
  std::int64_t steps = 0;  // a multiple of the period
  bool at_least = false;   // cut at half of all steps: they may never be steady
  double difference = 0;   // of the timed steps that it would leave out against those after
};

// `warmup_ms` and then the windows' steps, in batches of `period`. nullopt where the warm-up had
// all that MSER leaves out, or where the timed steps that it leaves out do not stand out: by 1 %
// and three times their noise, which is that of batches or of whole windows, whichever is larger.
// Needs three windows after the cut.
std::optional<WarmupSuggestion> longer_warmup(std::span<const double> warmup_ms,
                                              std::span<const WindowSeries> windows, int period);

}  // namespace traceml
