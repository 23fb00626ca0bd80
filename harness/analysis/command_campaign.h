#pragma once
// Launches of commands as the blocks that gates judge (docs/statistics.md, 2.3 "launch
// pair", 2.11).

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"
#include "harness/core/command_record.h"
#include "harness/core/records.h"

namespace traceml {

// One pass through the arms of a block. A block whose pass is void runs again, in the same order.
struct BlockPass {
  int block = 0;
  std::vector<const CommandRecord*> launches;

  const CommandRecord* voided_by() const;  // nullptr: valid
};

// The passes in the order in which they ran; warm-up left out. Borrows from `launches`.
std::vector<BlockPass> passes_of(const std::vector<CommandRecord>& launches);

// The valid passes as windows of one rank, numbered anew without gaps: WindowRecord::reported is
// the time of a unit of work (1 / value where larger is better), or the value as it is where that
// is no number above zero: it stays in its block, and the block's gates have no verdict.
RankRecords windows_of_commands(const CampaignFacts& facts,
                                const std::vector<CommandRecord>& launches);

// How many blocks may be void until the look at `blocks` valid ones: 20 % of all that ran by then.
int void_blocks_allowed(int blocks);

// "launch 5 (new) gave 0 ms, which is no finite number above zero".
std::string no_measure(const CampaignFacts& facts, ArmIndex arm, std::int64_t launch, double value);

// Judges every gate and derives every table, as summarize_campaign() does of steps.
CampaignSummary summarize_commands(const CampaignFacts& facts,
                                   const std::vector<CommandRecord>& launches);

}  // namespace traceml
