#pragma once

#include <string>
#include <vector>

#include "harness/analysis/gate_replay.h"
#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"

namespace traceml {

// What is told of one gate. `step_findings` come from step records, which a look does not have;
// they take the verdict away but do not open a closed gate.
GateResult gate_result(const CampaignFacts& facts, const GateSpec& gate, const GateState& state,
                       const std::vector<Finding>& step_findings);

// "input.workers: 8 against 4" for each key in which two arms differ.
std::vector<std::string> differing_keys(const ArmFacts& candidate, const ArmFacts& baseline);

}  // namespace traceml
