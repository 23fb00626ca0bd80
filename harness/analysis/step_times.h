#pragma once
// Step times as a look sees them: of each step one number a clock, in place of its phases. In a run
// each rank makes them of its own records and sends them; a replay makes them of the stored ones.

#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/steadiness.h"
#include "harness/analysis/step_rows.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// input_wait + traced of one timed step on one rank.
struct StepTime {
  ArmIndex arm;
  StepKey key;
  std::optional<Nanos> host;
  std::optional<Nanos> device;  // null unless every phase that occurred has a device time
  friend bool operator==(const StepTime&, const StepTime&) = default;
};

using TimesByRank = std::vector<std::vector<StepTime>>;  // slot r: those of rank r

// Of the timed steps of windows.
std::vector<StepTime> step_times_of(const std::vector<StepRecord>& steps);
TimesByRank step_times_of(const std::vector<const RankRecords*>& ranks);

// Max over ranks; null where a rank lacks the time.
struct SlowestStep {
  StepKey key;
  std::optional<Nanos> host;
  std::optional<Nanos> device;
};

using SlowestByArm = std::vector<std::vector<SlowestStep>>;  // by ArmIndex; ascending keys

// The steps that all ranks recorded: none of an arm of which a rank recorded nothing.
SlowestByArm slowest_steps(const CampaignFacts& facts, const TimesByRank& ranks);

// Of the given windows of one arm, ascending, on the one clock that they have together
// (docs/clocks.md, rule 1). Windows in which some step lacks a time are left out.
std::vector<WindowSeries> series_of(std::span<const SlowestStep> steps,
                                    std::span<const WindowIndex> windows);

}  // namespace traceml
