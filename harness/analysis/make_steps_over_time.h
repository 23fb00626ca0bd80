#pragma once

#include <optional>
#include <vector>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/gate_replay.h"
#include "harness/analysis/steps_over_time.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// `ranks` as by_rank() gives them; `gates` by CampaignFacts::gates; `clocks` by ArmIndex: those of
// the arms' tables. However many ranks and steps there are, the result has some 240,000 cells.
StepsOverTime make_steps_over_time(const CampaignFacts& facts,
                                   const std::vector<const RankRecords*>& ranks,
                                   const CampaignWindows& windows,
                                   const std::vector<GateState>& gates,
                                   const std::vector<std::optional<Clock>>& clocks);

}  // namespace traceml
