#pragma once

#include <string>

#include "harness/plan/plan.h"

namespace traceml {

// What `check` prints of a sweep: its settings with their cost and their reference, what "cheapest"
// means, and which blocks choose and which judge. Empty without a sweep.
std::string sweep_section(const Plan& plan);

// Blocks after which a sweep can end at the earliest.
int earliest_end(const CampaignFacts& facts);

}  // namespace traceml
