#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/gate_replay.h"
#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"

namespace traceml {

// What is told of one gate that was judged by `rule`. What is found of the reference comes from
// phases, which a look does not have: it takes the verdict away but does not open a closed gate.
GateResult gate_result(const CampaignFacts& facts, const GateSpec& gate, const GateRule& rule,
                       const GateState& state, const std::vector<Finding>& of_whole_run);

// Of a gate of which an arm was left out: no verdict.
GateResult left_out_result(const GateSpec& gate);

// Bounds, spread, p value, direction and smallest change seen of a judged estimate, which has a
// spread.
void fill_judgement(const Estimate& estimate, const Judgement& judgement, const GateRule& rule,
                    GateResult& result);

// Leaves the gate without a verdict, for the first of the findings; the others are listed.
void fill_reasons(std::vector<Finding> findings, GateResult& result);

// One sentence with the bound that decided.
std::string why_pass(const GateSpec& gate, const Judgement& judgement);
std::string why_fail(const GateSpec& gate, const Judgement& judgement);

// "input.workers: 8 against 4" for each key in which two arms differ.
std::vector<std::string> differing_keys(const ArmFacts& candidate, const ArmFacts& baseline);

}  // namespace traceml
