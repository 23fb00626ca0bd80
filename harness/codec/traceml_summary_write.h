#pragma once
// A run as TraceML's final_summary.json, schema 1.9, which its own `compare` and `view` read.

#include <string>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"
#include "harness/plan/plan.h"

namespace traceml {

// Of the first instrumented arm that is neither hidden nor a reference; without one every figure is
// null. `text` is what `view` shows. Warm-up steps are not in the means. No host name is written.
std::string write_traceml_summary(const RunInfo& info, const Plan& plan,
                                  const CampaignSummary& summary, const std::string& text);

}  // namespace traceml
