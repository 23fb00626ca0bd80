#pragma once
// Parts of trace_json.h. For sources of this room only.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/rank_traces.h"
#include "harness/analysis/trace_against.h"
#include "harness/analysis/trace_report.h"

namespace traceml {

nlohmann::ordered_json json_nanos(std::optional<Nanos> time);
nlohmann::ordered_json json_text_or_null(const std::string& text);

// Steps, phases, kernels, copies, launch lag and waiting calls of a trace.
void add_work_parts(const TraceReport& report, nlohmann::ordered_json* json);

// Operators, silences and memory; called by add_work_parts.
void add_host_parts(const TraceReport& report, nlohmann::ordered_json* json);
nlohmann::ordered_json json_gap_events(const std::vector<GapEvents>& events);

// What a run of ours says of its trace; null of a profiler's.
nlohmann::ordered_json json_own(const TraceReport& report);

nlohmann::ordered_json json_findings(const std::vector<TraceFinding>& findings);
nlohmann::ordered_json json_ranks(const RankTraces& ranks);
nlohmann::ordered_json json_against(const TraceComparison& against);

}  // namespace traceml
