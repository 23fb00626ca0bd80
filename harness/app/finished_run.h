#pragma once

#include <optional>
#include <string>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"
#include "harness/core/ids.h"
#include "harness/plan/plan.h"
#include "harness/reports/run_traces.h"

namespace traceml {

// A run as its raw files tell it, judged anew. `run` and `report` both go this way, so that they
// cannot differ.
struct FinishedRun {
  RunInfo info;
  Plan plan;
  CampaignSummary summary;
  std::optional<RunTraces> traces{};  // null: nothing was traced, or not wanted
};

std::string hosts_file(const std::string& dir);

// Where a rank that fails leaves its sentence: raw/failure_rank_0000.txt.
std::string failure_file(const std::string& raw, Rank rank);

// Of a run that ended before its plan: no gate passes.
void withhold_passes(CampaignSummary& summary);

enum class RunTracesWanted { kExplained, kNone };

// Reads DIR/raw and derives everything from it; explains the first cycle's traces, unless they are
// not wanted. Throws RunError naming what is missing, torn or edited.
FinishedRun read_finished_run(const std::string& dir, bool accept_edited,
                              RunTracesWanted traces = RunTracesWanted::kExplained);

// The report on standard output, as wide as the terminal; with `quiet` the verdict line alone. Then
// every report of render_files() into DIR, each to a temporary name, flushed and renamed. Where one
// of the two cannot be written, the other is; then throws RunError.
void publish(const std::string& dir, const FinishedRun& run, bool quiet);

}  // namespace traceml
