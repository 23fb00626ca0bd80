#pragma once
// Several launches of one plan, judged together: the launch is the unit, its value the mean of its
// blocks' log ratios (docs/statistics.md, 2.3 and 2.7). Their records lie in one set, one launch
// behind the other, so that every table is made of all of them.

#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/statistics.h"
#include "harness/analysis/summary.h"
#include "harness/analysis/validity.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// A launch with fewer valid blocks than this is void.
inline constexpr int kFewestBlocksOfALaunch = 4;

// What to judge the pool with: `launch` is the plan of one of the launches. Looks count launches;
// no allowance is made for what one launch cannot see.
CampaignFacts facts_over_launches(const CampaignFacts& launch);

// Puts the records of a launch behind those of `before` launches. Warm-up steps are those of the
// first launch. `launch` as above.
void append_launch(const CampaignFacts& launch, int before, std::vector<RankRecords> records,
                   std::vector<RankRecords>* pool);

// The windows of launch j of a pool are numbered from j times this on.
std::int64_t windows_per_launch(const CampaignFacts& facts);

// Blocks of one unit of the verdict: 1, or of pooled records those of a launch.
std::size_t blocks_per_unit(const CampaignFacts& facts);

// ln(T_candidate / T_baseline) of one launch: order-adjusted mean over its valid blocks, equal to
// their mean where they are balanced. Null where the launch is void: too few valid blocks, or all
// in one order. A pair without a time counts as none; it is found by window_findings().
std::optional<double> theta_of_launch(std::span<const BlockPair> blocks, const CampaignFacts& facts,
                                      const GateSpec& gate);

// The units of the verdict among `blocks`, which hold whole launches: valid ones, in order.
std::vector<PairDifference> launch_units(std::span<const BlockPair> blocks,
                                         const CampaignFacts& facts, const GateSpec& gate);

// Why so many launches give no verdict: fewer than the first look, or more than a fifth void.
std::optional<Finding> too_few_launches(const CampaignFacts& facts, std::size_t launches,
                                        std::size_t valid);

// The rows of the table of launches; numbered from 1.
std::vector<LaunchRow> launch_rows(const CampaignFacts& facts, const CampaignWindows& windows);

}  // namespace traceml
