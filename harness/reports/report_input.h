#pragma once

#include <string>
#include <vector>

#include "harness/analysis/summary.h"
#include "harness/codec/hosts_file.h"
#include "harness/codec/run_info.h"
#include "harness/plan/plan.h"
#include "harness/reports/run_traces.h"

namespace traceml {

// All that a report may show. Every report is a pure function of it.
struct ReportInput {
  const RunInfo& info;
  const Plan& plan;
  const CampaignSummary& summary;
  std::string results_dir;  // as the user wrote it; for the last line of the terminal only
  Nodes places{};           // hosts and GPUs, where they are known; for the terminal only
  const RunTraces* traces = nullptr;  // null: the run traced nothing
};

}  // namespace traceml
