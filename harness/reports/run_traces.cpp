#include "harness/reports/run_traces.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/reports/own_trace_text.h"
#include "harness/reports/trace_head.h"

namespace traceml {
namespace {

// What the ranks have in common is told of the first.
bool is_of_each_rank(const std::string& label) {
  return label == "cost" || label == "phases" || label == "compute";
}

std::string first_finding(const TraceReport& report) {
  if (report.findings.empty()) return nothing_found(report);
  const TraceFinding& first = report.findings.front();
  return fmt::format("{}: {}. Next check: {}", first.cause, first.observation, first.next_check);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> run_trace_facts(const RunTraces& traces) {
  if (!traces.fault.empty()) return {{"trace", traces.fault}};
  std::vector<std::pair<std::string, std::string>> facts;
  const bool many = traces.reports.size() > 1;
  for (const TraceReport& report : traces.reports) {
    const std::string who =
        many ? fmt::format("rank {}, ", report.rank.value_or(0)) : std::string();
    for (const auto& [label, text] : own_trace_facts(report)) {
      if (label == "collected") continue;  // for those who look into the trace
      if (&report == &traces.reports.front() || is_of_each_rank(label)) {
        facts.emplace_back(who + label, text);
      }
    }
    facts.emplace_back(who + "trust", trace_head(report).trust);
    facts.emplace_back(who + "found", first_finding(report));
  }
  if (traces.ranks) {
    for (const TraceFinding& finding : traces.ranks->findings) {
      facts.emplace_back("all ranks", fmt::format("{}: {}", finding.cause, finding.observation));
    }
  }
  if (traces.cycles > 1) {
    facts.emplace_back("cycles", fmt::format("{} of {}; `explain RUN_DIR --cycle N` reads the "
                                             "others",
                                             traces.cycle, traces.cycles));
  }
  return facts;
}

}  // namespace traceml
