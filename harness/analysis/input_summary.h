#pragma once
// From the records of all ranks to what is told of an arm's input pipeline.

#include <optional>
#include <vector>

#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// Over the timed steps of the valid windows. `own` and `reference` (null: none) are summaries with
// their ranks filled in. Null where the arm has no loader or no record.
std::optional<InputSummary> input_summary_of(const CampaignFacts& facts, const ArmSummary& own,
                                             const ArmSummary* reference,
                                             const std::vector<const RankRecords*>& ranks,
                                             const std::vector<WindowIndex>& valid);

}  // namespace traceml
