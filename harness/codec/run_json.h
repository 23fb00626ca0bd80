#pragma once

#include <string>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"
#include "harness/plan/plan.h"

namespace traceml {

// The text of run.json: docs/run.schema.json describes it. Null figures are JSON null.
std::string write_run_json(const RunInfo& info, const Plan& plan, const CampaignSummary& summary);

}  // namespace traceml
