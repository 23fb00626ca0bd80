#pragma once
// Which of all step records an arm's figures are made of.

#include <vector>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/step_rows.h"
#include "harness/core/campaign.h"

namespace traceml {

// One entry a rank. The records are borrowed.
struct ArmRows {
  std::vector<RankRows> warmup;
  // Timed steps of valid windows: not voided, and recorded by every rank that recorded any window
  // of the arm.
  std::vector<RankRows> timed;
};

// By ArmIndex. Borrows from `ranks`.
std::vector<ArmRows> rows_of_arms(const CampaignFacts& facts,
                                  const std::vector<const RankRecords*>& ranks,
                                  const CampaignWindows& windows);

// The indices of those windows, ascending.
std::vector<WindowIndex> windows_with_steps(const std::vector<BlockWindow>& blocks);

}  // namespace traceml
