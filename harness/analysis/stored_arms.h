#pragma once
// What a campaign of launches gives to a store, from its pooled records.

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/stored_baseline.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// Every arm that is not hidden, with its matched reference and its valid launches; settings stay
// empty.
std::map<std::string, StoredArm> stored_arms(const CampaignFacts& facts,
                                             const std::vector<RankRecords>& pooled);

}  // namespace traceml
