#pragma once
// The part "sweep" of run.json; for run_json.cpp only.

#include <functional>
#include <nlohmann/json.hpp>

#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"

namespace traceml {

// `judged` gives the entry of a gate, as in "gates".
nlohmann::ordered_json sweep_json(
    const SweepResult& sweep, const CampaignFacts& facts,
    const std::function<nlohmann::ordered_json(const GateResult&)>& judged);

}  // namespace traceml
