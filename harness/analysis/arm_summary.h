#pragma once
// Everything that is told of one arm, from the windows and steps of all ranks.

#include <vector>

#include "harness/analysis/arm_rows.h"
#include "harness/analysis/block_pairs.h"
#include "harness/analysis/mser.h"
#include "harness/analysis/steadiness.h"
#include "harness/analysis/summary.h"
#include "harness/analysis/window.h"
#include "harness/core/campaign.h"

namespace traceml {

struct ArmAnalysis {
  ArmSummary summary;
  WindowFigures figures;  // all timed steps of the valid windows as one window; empty if none
  std::vector<WindowSeries> series;  // per window, on the table's clock
  std::optional<WarmupSuggestion> longer_warmup;
  std::int64_t warmup_steps = 0;  // recorded by all ranks
};

// `series`: of all valid windows, from series_of().
ArmAnalysis analyze_arm(const CampaignFacts& facts, ArmIndex arm, const CampaignWindows& windows,
                        ArmRows rows, std::vector<WindowSeries> series);

// One sentence for each oddity of the arm's records.
std::vector<std::string> warnings_of(const ArmAnalysis& arm,
                                     const std::vector<BlockWindow>& blocks);

}  // namespace traceml
