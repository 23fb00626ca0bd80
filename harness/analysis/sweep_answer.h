#pragma once
// What the standings of a sweep's settings answer (docs/statistics.md, 2.13).

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/analysis/summary.h"

namespace traceml {

// The cheapest setting that is the best or tied with it, and the unresolved ones that are cheaper,
// cheapest first. "Not proven worse" is not tied. Null without a best.
struct CheapestSetting {
  std::optional<std::size_t> cheapest;
  std::vector<std::size_t> open;
};
CheapestSetting cheapest_setting(const SweepSpec& sweep, const std::vector<Standing>& standings);

// The curve of the first key of which every setting has its own value, and its knee: the smallest
// value that is the best or tied with it. nullopt where settings share the values of every key.
std::optional<SweepCurve> curve_of(const SweepSpec& sweep, const std::vector<Standing>& standings);

// Of a setting that reaches `fraction` of its reference's throughput: nothing where it lacks less
// than the margin leaves, input where at least half of what it lacks is time that it waits more
// than its reference, else elsewhere.
Limit limit_of(double fraction, double wait_share, double reference_wait_share, double delta);

}  // namespace traceml
