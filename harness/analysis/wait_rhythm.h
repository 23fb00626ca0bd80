#pragma once
// Whether long waits for a batch come at an even distance: every 8th step where each of eight
// workers makes whole batches.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/step_rows.h"
#include "harness/analysis/summary.h"

namespace traceml {

// Steps from each of one rank's waits to the next one of the same window. `waits` ascend.
std::vector<std::int64_t> intervals_between(std::span<const StepKey> waits);

// The distance that more than half of at least eight intervals have; nullopt: there is none. Waits
// that strike with one probability on every step have none but 1: no other distance is ever as
// likely as a half.
std::optional<WaitRhythm> dominant_interval(std::span<const std::int64_t> intervals);

}  // namespace traceml
