#pragma once
// What the page of `explain` is made of.

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/rank_traces.h"
#include "harness/analysis/step_lanes.h"
#include "harness/analysis/trace_against.h"
#include "harness/analysis/trace_report.h"

namespace traceml {

// Traces beyond it have their row among the devices, but neither lanes nor tables: a page of a
// thousand ranks stays small. Those that are idle for the largest share of their span are shown.
inline constexpr std::size_t kMostTracesInFull = 16;

struct TracePageInput {
  const std::vector<TraceReport>& reports;
  const std::vector<TraceLanes>& lanes;  // of each report; empty of those beyond the limit
  const std::optional<RankTraces>& ranks;
  const std::optional<TraceComparison>& against;
};

// Positions of the reports that are shown in full, ascending.
std::vector<std::size_t> traces_in_full(const std::vector<TraceReport>& reports);

// Of one of `traces` that are shown in full: they share the page.
LaneLimits lane_limits(std::size_t traces);

// The line that everything comes to: how far idle is to be believed, of the trace that is trusted
// least.
std::string trace_line(const std::vector<TraceReport>& reports);

}  // namespace traceml
