#pragma once
// Sets of half-open ranges of time.

#include <vector>

#include "harness/core/units.h"

namespace traceml {

struct TimeRange {
  Nanos begin{0};
  Nanos end{0};
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// The union as disjoint ranges in ascending order, none of them empty.
std::vector<TimeRange> merged(std::vector<TimeRange> ranges);

// Of merged() sets: what lies in `from` and not in `taken`.
std::vector<TimeRange> subtracted(const std::vector<TimeRange>& from,
                                  const std::vector<TimeRange>& taken);

Nanos length_of(const std::vector<TimeRange>& ranges);

// 0 of an empty whole.
double share_of(Nanos part, Nanos whole);

// The least of `sorted`, which is not empty, that at least a share in (0, 1] of them do not exceed
// (nearest rank).
Nanos nearest_rank(const std::vector<Nanos>& sorted, double share);

}  // namespace traceml
