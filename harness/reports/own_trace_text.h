#pragma once
// What is said of a trace that a run of ours made, beside what is said of every trace.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/trace_report.h"
#include "harness/reports/table.h"

namespace traceml {

// ("traced", "20 steps of ..."), ("cost", "43.2 ms a step against ..."), ...; empty of a profiler's
// trace. The ratio of the traced to the bare step comes first.
std::vector<std::pair<std::string, std::string>> own_trace_facts(const TraceReport& report);

// Phases by the calls that launched their work, beside the event clock; nullopt without either.
std::optional<Table> phase_check_table(const TraceReport& report);

}  // namespace traceml
