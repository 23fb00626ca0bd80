#pragma once
// The part "input" of run.json; for run_json.cpp only.

#include <nlohmann/json.hpp>

#include "harness/analysis/summary.h"

namespace traceml {

// By arm, of those that have records of their batches; null where none has.
nlohmann::ordered_json input_json(const CampaignSummary& summary);

}  // namespace traceml
