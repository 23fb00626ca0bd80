#pragma once
// The parts "arms" and "ranks" of run.json; for run_json.cpp only.

#include <nlohmann/json.hpp>

#include "harness/analysis/summary.h"

namespace traceml {

nlohmann::ordered_json arms_json(const CampaignFacts& facts, const CampaignSummary& summary);

// One entry for each of world_size ranks; a rank that did not report has "reported": false.
nlohmann::ordered_json ranks_json(int world_size, const CampaignSummary& summary);

}  // namespace traceml
