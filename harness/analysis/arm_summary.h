#pragma once
// Everything that is told of one arm, from the windows and steps of all ranks.

#include <vector>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/steadiness.h"
#include "harness/analysis/summary.h"
#include "harness/analysis/window.h"
#include "harness/core/campaign.h"

namespace traceml {

struct ArmAnalysis {
  ArmSummary summary;
  WindowFigures figures;  // all timed steps of the valid windows as one window; empty if none
  std::vector<WindowSeries> series;  // per window, on the table's clock
};

// For each arm, its ranks' timed steps of valid windows: not voided, and recorded by every rank
// that recorded any window of the arm. Borrows from `ranks`.
std::vector<std::vector<RankRows>> timed_rows(const CampaignFacts& facts,
                                              const std::vector<const RankRecords*>& ranks,
                                              const CampaignWindows& windows);

// The indices of those windows, ascending.
std::vector<WindowIndex> windows_with_steps(const std::vector<BlockWindow>& blocks);

ArmAnalysis analyze_arm(const CampaignFacts& facts, ArmIndex arm, const CampaignWindows& windows,
                        std::vector<RankRows> rows);

// One sentence for each oddity of the arm's records.
std::vector<std::string> warnings_of(const ArmAnalysis& arm,
                                     const std::vector<BlockWindow>& blocks);

}  // namespace traceml
