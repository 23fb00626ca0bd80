#pragma once

#include <functional>
#include <vector>

#include "harness/analysis/arm_summary.h"
#include "harness/analysis/sweep_replay.h"
#include "harness/analysis/validity.h"

namespace traceml {

// What is told of a sweep. `of_whole_run` gives what forbids a verdict on a setting and is not
// known at looks, such as throttling: it leaves the setting unresolved.
SweepResult sweep_result(
    const CampaignFacts& facts, const CampaignWindows& windows, const SweepState& state,
    const std::vector<ArmAnalysis>& arms,
    const std::function<std::vector<Finding>(const GateSpec& gate)>& of_whole_run);

// Of a run that ended before its plan: no setting is tied and there is no answer.
void withhold_answer(SweepResult& sweep);

}  // namespace traceml
