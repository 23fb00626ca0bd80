#pragma once
// The steps of one arm over all ranks, in so few bins that a page can hold them.

#include <cstddef>
#include <vector>

#include "harness/analysis/step_rows.h"
#include "harness/analysis/steps_over_time.h"

namespace traceml {

// More ranks than this share rows of cells with their neighbours.
inline constexpr std::size_t kMostRankRows = 1024;

// Of a bin, the furthest are kept.
inline constexpr std::size_t kMostMarkedOfABin = 4;

// Bins for an arm of so many ranks where `arms` arms have steps: 600, fewer where the cells of all
// arms would be more than some 240,000, but 24 at least.
std::size_t bins_for(std::size_t ranks, std::size_t arms);

// The window that lies at `place` of StepsOverTime::windows, with its timed steps.
struct ArmWindow {
  WindowIndex window;
  std::size_t place = 0;
  std::int64_t steps = 0;
};

// `windows`: all of the arm, ascending; steps that `rows` lack are null. `settle_steps` come before
// the timed ones of a window. Fills all of ArmSteps but `arm`.
ArmSteps bin_steps(const AlignedRows& rows, const std::vector<ArmWindow>& windows,
                   std::int64_t settle_steps, Clock clock, std::size_t most_bins);

}  // namespace traceml
