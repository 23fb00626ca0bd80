#pragma once

#include <string>

#include "harness/analysis/trace_report.h"
#include "harness/reports/terminal.h"

namespace traceml {

// `explain` of one trace: how far it is to be trusted, what the device's time went on, the gaps,
// and what may be behind them.
std::string render_trace(const TraceReport& report, const TerminalStyle& style);

// The same in short, for one of several ranks: trust, time, causes, findings.
std::string render_trace_brief(const TraceReport& report, const TerminalStyle& style);

inline constexpr const char* kNothingFound = "none reaches its threshold.";

// Sentences that close a report: findings with their next checks, and what stays open.
std::string render_findings(const std::vector<TraceFinding>& findings,
                            const std::vector<std::string>& cannot_tell, int columns,
                            const std::string& nothing_found = kNothingFound);

}  // namespace traceml
