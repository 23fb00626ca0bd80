#pragma once
// Step records of one arm, rank beside rank: the steps that every reporting rank recorded
// (docs/clocks.md).

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/outcome.h"
#include "harness/core/ids.h"
#include "harness/core/records.h"

namespace traceml {

// A step of an arm's table: all timed steps of the arm's windows form one window of the contract.
struct StepKey {
  WindowIndex window;
  StepIndex step;
  friend auto operator<=>(const StepKey&, const StepKey&) = default;
};

// A record without a window (warm-up) has window 0.
StepKey key_of(const StepRecord& record);

// One rank's records of one arm. The records are borrowed.
struct RankRows {
  Rank rank;
  std::vector<const StepRecord*> rows;
};

// Steps of one window that some rank skipped or lost, first to last.
struct StepGap {
  WindowIndex window;
  StepIndex first;
  StepIndex last;
  friend bool operator==(const StepGap&, const StepGap&) = default;
};

struct AlignedRows {
  std::vector<StepKey> steps;   // common to all reporting ranks, ascending
  std::vector<StepGap> gaps;    // between the first and the last step that any rank recorded
  std::vector<Rank> missing;    // expected, reported nothing
  std::vector<RankRows> ranks;  // expected and reported, ascending; rows[i] is steps[i]
};

// Rows may come in any order. Ranks that are not expected are left out; of two records of one step
// the first counts.
AlignedRows align_rows(std::span<const Rank> expected, std::vector<RankRows> ranks);

// A duration that can be one: null for a negative one.
std::optional<std::int64_t> nanos_on(const std::optional<DualTime>& time, Clock clock);

// input_wait + traced of one step; null unless both were measured on this clock.
std::optional<std::int64_t> step_nanos(const StepRecord& record, Clock clock);

// The first phase that keeps a step from being complete on the device clock: one that occurred, or
// input_wait or traced, without a device time.
std::optional<Phase> first_without_device_time(const StepRecord& record);

}  // namespace traceml
