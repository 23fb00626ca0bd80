#pragma once
// The parts "arms" and "ranks" of run.json; for run_json.cpp only.

#include <nlohmann/json.hpp>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"

namespace traceml {

nlohmann::ordered_json arms_json(const CampaignFacts& facts, const CampaignSummary& summary);

// One entry for each rank; one that did not report has "reported": false.
nlohmann::ordered_json ranks_json(const RunInfo& info, const CampaignSummary& summary);

}  // namespace traceml
