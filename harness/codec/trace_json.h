#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/rank_traces.h"
#include "harness/analysis/trace_against.h"
#include "harness/analysis/trace_report.h"

namespace traceml {

// What `explain` says, for programs: the form is described in docs/explain.md. Times are whole
// nanoseconds and end in _ns; null is not known. Names of files are without folders.
std::string trace_json(const std::vector<TraceReport>& reports,
                       const std::optional<RankTraces>& ranks,
                       const std::optional<TraceComparison>& against);

}  // namespace traceml
