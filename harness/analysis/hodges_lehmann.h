#pragma once
// The Hodges-Lehmann estimate and its exact Wilcoxon interval: shown beside theta, and a hint of
// interference; never a verdict (docs/statistics.md, 2.11).

#include <optional>
#include <span>

#include "harness/analysis/summary.h"

namespace traceml {

// The largest c with P(W < c) <= alpha, W the signed-rank statistic of n values without ties: the
// interval runs from the c-th smallest to the c-th largest Walsh average. 0: no finite interval.
int wilcoxon_rank(int n, double alpha);

struct HodgesLehmann {
  double estimate = 0;
  std::optional<Interval> interval;  // alpha a side; null where n is too small for this alpha
};

// nullopt without values.
std::optional<HodgesLehmann> hodges_lehmann(std::span<const double> values, double alpha);

}  // namespace traceml
