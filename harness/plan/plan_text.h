#pragma once

#include <optional>
#include <string>

#include "harness/core/units.h"
#include "harness/plan/plan.h"

namespace traceml {

// What `traceml-bench check` prints: arms, gates, what each step of a window does, the windows of
// the first two blocks, looks, loaders with slots and host bytes per rank, steps, and the time that
// `assumed_step` (of every arm) would make of them. 100 columns.
std::string plan_text(const Plan& plan, std::optional<Millis> assumed_step);

// "inconclusive", "pass", ...
std::string no_verdict_counts_as(const GateSpec& gate);

// "looks after 6 and 10 blocks, where a gate that has its verdict closes".
std::string looks_text(const CampaignFacts& facts);

}  // namespace traceml
