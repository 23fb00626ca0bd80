#pragma once
// An arm's throughput as a fraction of an input-free arm's, for display: gates have their own
// (docs/statistics.md, 2.4 and 2.7).

#include <optional>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"

namespace traceml {

// exp(-theta) over the blocks (of pooled records, launches) in which both have a time; per image
// where their batches differ. The interval is the plain one of 90 %, with the allowance for what
// one launch cannot see; null with fewer than three units. Null where they share no block.
std::optional<FractionFigure> fraction_of(const CampaignFacts& facts, ArmIndex arm,
                                          ArmIndex reference, const CampaignWindows& windows);

// The one that all arms are held against, whatever dtype their batches have: the first input-free
// arm that the user wrote. nullopt: there is none.
std::optional<ArmIndex> common_reference(const CampaignFacts& facts);

// Whether `arm` differs from `reference` in its input alone.
bool trains_alike(const ArmFacts& arm, const ArmFacts& reference);

}  // namespace traceml
