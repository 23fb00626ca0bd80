#pragma once
// Window records of all ranks, by arm and block, and the pairs that gates judge
// (docs/statistics.md, 2.1 and 2.3).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/statistics.h"
#include "harness/core/campaign.h"
#include "harness/core/ids.h"
#include "harness/core/records.h"

namespace traceml {

// The window of one arm in one block, over the ranks. Records are borrowed.
struct BlockWindow {
  int block = 0;
  int order = 0;
  WindowIndex window;
  std::int64_t steps = 0;
  std::vector<const WindowRecord*> records;  // by rank; nullptr where a rank has none
  int recorded = 0;                          // ranks that have one
  bool ranks_agree = true;                   // on order, window and steps
  std::string void_reason;                   // the first that a rank gave; empty: valid

  bool complete() const { return recorded == static_cast<int>(records.size()); }
  bool valid() const { return complete() && void_reason.empty(); }
};

// T_b: wall time per step, max over ranks. Null unless every rank has a positive one.
std::optional<Millis> wall_per_step(const BlockWindow& window);

// One rank's own; null where it has none or one that is no time.
std::optional<Millis> wall_per_step(const WindowRecord* record);

struct CampaignWindows {
  std::vector<std::vector<BlockWindow>> arms;  // by ArmIndex; ascending blocks
  std::vector<std::string> warnings;           // records that belong to no arm or rank
};

// Slot r: the records of rank r; nullptr for a missing one. Ranks outside the world are left out.
std::vector<const RankRecords*> by_rank(const CampaignFacts& facts,
                                        const std::vector<RankRecords>& ranks);

CampaignWindows tabulate_windows(const CampaignFacts& facts,
                                 const std::vector<const RankRecords*>& ranks);

struct BlockPair {
  const BlockWindow* candidate = nullptr;
  const BlockWindow* baseline = nullptr;

  bool voided() const { return !candidate->void_reason.empty() || !baseline->void_reason.empty(); }
  RanFirst first() const {
    return baseline->order < candidate->order ? RanFirst::kBaseline : RanFirst::kCandidate;
  }
};

struct GatePairs {
  std::vector<BlockPair> pairs;  // blocks 0, 1, ... up to the first that is not complete
  // Ranks without any window of the gate's arms, or without one that lies before others they have.
  std::vector<Rank> missing;
};

GatePairs pair_blocks(const CampaignFacts& facts, const CampaignWindows& windows,
                      const GateSpec& gate);

// ln(T_candidate / T_baseline); per image where the arms' global batches differ. Null where either
// is no time.
std::optional<double> log_ratio_of(const BlockPair& pair, const CampaignFacts& facts,
                                   const GateSpec& gate);

// Of every block in which both arms have a valid window, whatever other blocks they lack: for
// figures that are shown and judge nothing.
std::vector<PairDifference> differences_where_both_ran(const CampaignFacts& facts,
                                                       const CampaignWindows& windows,
                                                       const GateSpec& gate);

}  // namespace traceml
