#pragma once
// Slow creep over many runs that each pass (docs/statistics.md, 2.14): Kendall's rank statistic
// against the order of the runs (Mann, Econometrica 13, 1945), its exact law, and the slope of
// Theil (1950) and Sen (JASA 63, 1968).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/summary.h"

namespace traceml {

// Fewer runs show no creep at any level.
inline constexpr std::size_t kFewestRunsOfATrend = 6;

struct Creep {
  std::size_t runs = 0;
  std::int64_t rises = 0;  // pairs of runs of which the later is slower, less those that are faster
  double p = 1;            // one-sided, of runs that come in any order
  double level = 0;        // that p must not exceed with so many runs
  double slope = 0;        // ln a run: median over all pairs of runs
  Interval slope_90;       // 90 %, for these runs alone
  bool proven = false;

  // ln, from the first run to the last.
  double total() const { return slope * static_cast<double>(runs - 1); }
};

// P(S >= rises) where all orders of `runs` runs are equally likely: exact up to 200 runs, then
// normal, with a correction for continuity. Ties make it too large, never too small.
double kendall_upper_tail(std::size_t runs, std::int64_t rises);

// The share of alpha of a look at so many runs: alpha / (j (j + 1)), j = 1, 2, ... from the sixth
// run on. Over all looks that there will ever be they add up to alpha. 0 below six.
double creep_level(std::size_t runs, double alpha);

// theta = ln(T_candidate / T_baseline) of each run, in order; alpha is for the whole life of the
// series, `claims` series share it. nullopt below six runs.
std::optional<Creep> creep_of(std::span<const double> thetas, double alpha, int claims);

}  // namespace traceml
