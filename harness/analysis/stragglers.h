#pragma once
// Which rank the others wait for at the all-reduce. A rank's wait is end - arrival of its own
// records, so the ranks' clocks need not agree; the last to arrive waits least. Of a step's buckets
// the last counts: all earlier work is done when it arrives, so a rank that is late there by 1 ms
// costs the others 1 ms, in however many buckets it was late.

#include <cstdint>
#include <vector>

#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// One arm, over the timed steps on which every rank has times of the same bucket.
struct AllReduceTally {
  std::vector<WindowIndex> windows;  // of each such step
  // At the bucket of the step where it is largest: the rank that waited least (-1: a tie), and what
  // the other ranks waited longer, mean over them.
  std::vector<int> last;
  std::vector<double> caused_ms;
  int world_size = 0;
};

// `valid` lists the windows that count, ascending.
AllReduceTally tally_all_reduces(const CampaignFacts& facts, ArmIndex arm,
                                 const std::vector<const RankRecords*>& ranks,
                                 const std::vector<WindowIndex>& valid);

// Steps on which `rank` was last.
std::int64_t last_steps_of(const AllReduceTally& tally, Rank rank);

// Ranks that are last clearly more often than chance (binomial p < 0.001 / ranks) and cost the
// others at least 1 % of `step`. Recurring: so in at least half of the windows, else one-off.
std::vector<Straggler> name_stragglers(const AllReduceTally& tally, const std::string& arm,
                                       std::optional<Millis> step);

}  // namespace traceml
