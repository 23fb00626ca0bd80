#pragma once
// The parts "arms" and "ranks" of run.json; for run_json.cpp only.

#include <nlohmann/json.hpp>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"
#include "harness/plan/plan.h"

namespace traceml {

nlohmann::ordered_json arms_json(const RunInfo& info, const Plan& plan,
                                 const CampaignSummary& summary);

// Of the arms that the user wrote: the largest peaks; null where none was measured.
nlohmann::ordered_json memory_json(const CampaignSummary& summary);

// The largest of theirs; null without one.
nlohmann::ordered_json mfu_json(const RunInfo& info, const Plan& plan,
                                const CampaignSummary& summary);

// One entry for each rank; one that did not report has "reported": false.
nlohmann::ordered_json ranks_json(const RunInfo& info, const CampaignSummary& summary);

}  // namespace traceml
