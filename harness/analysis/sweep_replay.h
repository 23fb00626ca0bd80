#pragma once
// The looks of a sweep, played again in order (docs/statistics.md, 2.13): the first blocks choose
// the best setting, those after them judge the others against it. At a look a setting is closed
// that is worse, or tied and no reason to doubt the best.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/gate_replay.h"
#include "harness/analysis/step_times.h"
#include "harness/core/campaign.h"

namespace traceml {

// The setting with the least mean of ln(T_b per image) over the first kChoosingBlocks blocks that
// are valid in all settings; of equal ones the cheapest. Null, and why, without such a block.
struct BestChoice {
  std::optional<std::size_t> best;  // in SweepSpec::settings
  std::string why_none;
};
BestChoice choose_best(const CampaignFacts& facts, const CampaignWindows& windows);

// Levels of a setting's judgement: alpha / (K (S - 1)) on both sides.
GateRule rule_of_sweep(const CampaignFacts& facts);

// Whether the other setting may be faster than the best by more than the margin, as far as its
// interval at those levels tells; null: no interval.
bool doubts_best(const std::optional<Interval>& of_theta, double bound);
// Whether it is proven so.
bool beats_best(const std::optional<Interval>& of_theta, double bound);

struct SettingState {
  GateSpec gate;  // of the setting against the best
  GateState state;
};

struct SweepState {
  BestChoice choice;
  std::vector<std::optional<SettingState>> settings;  // null: the best, or there is none

  // What later blocks must run for the settings that are still open: they, the best, and the
  // references that their figures are given with. Empty: the sweep needs no more blocks.
  std::set<ArmIndex> arms_needed(const CampaignFacts& facts) const;
};

// Of facts with a sweep. Looks after `up_to` blocks are not taken.
SweepState replay_sweep(const CampaignFacts& facts, const CampaignWindows& windows,
                        const SlowestByArm& steps, int up_to);

}  // namespace traceml
