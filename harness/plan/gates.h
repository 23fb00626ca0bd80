#pragma once

#include <vector>

#include "harness/core/campaign.h"
#include "harness/plan/config.h"

namespace traceml {

// The gates between arms of a config whose hidden arms are there. Throws UsageError, opening with
// the gate's place, for unknown arms, a reference that is not matched, two equal gates, and a
// margin that one launch can never pass.
std::vector<GateSpec> gates_of(const Config& config, const CampaignFacts& facts);

// Those against stored campaigns, of facts with their arms. Throws UsageError where the run is not
// one of several launches, for unknown arms, a guard without a reference, and two equal gates.
std::vector<GateSpec> stored_gates_of(const Config& config, const CampaignFacts& facts);

// --require-gates: throws UsageError where the config, read from `path`, has none.
void require_gates(const Config& config, const std::string& path);

// Largest ln(1 + delta) that one launch can never pass: z_{1 - alpha/K} * s_int with K looks
// (statistics 2.7); with alpha/(K c) where `claims` c share alpha.
double least_log_margin(const CampaignFacts& facts, int claims = 1);

}  // namespace traceml
