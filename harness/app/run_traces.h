#pragma once
// The traces in the folder of a run.

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/summary.h"
#include "harness/analysis/timeline.h"
#include "harness/plan/environment.h"
#include "harness/plan/plan.h"
#include "harness/reports/run_traces.h"

namespace traceml {

// What the run says of the arm that it traced: its settings, and its step as it was measured.
std::optional<RunOfTrace> run_of_trace(const Plan& plan, const Environment& environment,
                                       const CampaignSummary& summary);

// The files of one cycle in RUN_DIR/trace, by rank; the first cycle unless one is named. Throws
// UsageError where there is none.
std::vector<std::string> trace_files_of(const std::string& run_dir,
                                        std::optional<std::int64_t> cycle);

// nullopt: the run traced nothing. What cannot be read is told, not thrown: the rest of the
// reports does not depend on it.
std::optional<RunTraces> read_run_traces(const std::string& run_dir, const Plan& plan,
                                         const Environment& environment,
                                         const CampaignSummary& summary);

}  // namespace traceml
