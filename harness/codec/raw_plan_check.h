#pragma once

#include <string>

#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// Throws RunError naming the file of `dir` and the row that the plan of the run does not hold, or
// that is there twice: windows by arm, block, order, number and steps; steps and collectives by
// the window of their arm and their place in it. Rows may be missing.
void check_against_plan(const CampaignFacts& facts, const RankRecords& records,
                        const std::string& dir);

}  // namespace traceml
