#include "harness/analysis/wait_rhythm.h"

#include <algorithm>
#include <map>

namespace traceml {

namespace {

constexpr std::int64_t kFewestIntervals = 8;

}  // namespace

std::vector<std::int64_t> intervals_between(std::span<const StepKey> waits) {
  std::vector<std::int64_t> intervals;
  for (std::size_t i = 1; i < waits.size(); ++i) {
    if (waits[i].window != waits[i - 1].window) continue;
    intervals.push_back(waits[i].step.value - waits[i - 1].step.value);
  }
  return intervals;
}

std::optional<WaitRhythm> dominant_interval(std::span<const std::int64_t> intervals) {
  const auto all = static_cast<std::int64_t>(intervals.size());
  if (all < kFewestIntervals) return std::nullopt;
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t steps : intervals) ++counts[steps];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (2 * most->second <= all) return std::nullopt;
  return WaitRhythm{most->first, most->second, all};
}

}  // namespace traceml
