#pragma once
// The traces that lie in the folder of a run, explained, as its reports show them.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/rank_traces.h"
#include "harness/analysis/step_lanes.h"
#include "harness/analysis/trace_report.h"
#include "harness/reports/table.h"

namespace traceml {

struct RunTraces {
  std::int64_t cycle = 0;
  std::int64_t cycles = 0;           // of which there are files
  std::vector<TraceReport> reports;  // one a rank; empty: see `fault`
  std::vector<TraceLanes> lanes;     // of each report; empty where there is no page to draw them
  std::optional<RankTraces> ranks;
  std::string fault;  // why they cannot be read, one sentence; else empty
};

// Label and sentence, for reports that are read in a minute: what tracing cost, how far idle is to
// be believed, what was found.
std::vector<std::pair<std::string, std::string>> run_trace_facts(const RunTraces& traces);

}  // namespace traceml
