#pragma once
// From the figures of a trace to what may be behind them. Each finding is an observation, one
// hypothesis and the next check that could refute it; thresholds are those of timeline_rules.h. A
// trace in which nothing reaches one gets none.

#include <string>
#include <vector>

#include "harness/analysis/trace_report.h"

namespace traceml {

// Largest share of the span first.
std::vector<TraceFinding> findings_of(const TraceReport& report);

// In traces of a run of ours the next check is a command, where there is one for the cause.
void use_checks_of_run(const RunOfTrace& run, std::vector<TraceFinding>* findings);

// What this trace leaves open, whatever the findings.
std::vector<std::string> cannot_tell(const TraceReport& report);

}  // namespace traceml
