#pragma once

#include <string>
#include <vector>

#include "harness/analysis/run_set.h"
#include "harness/reports/terminal.h"

namespace traceml {

struct CompareInput {
  const std::vector<StoredRun>& baseline;
  const std::vector<StoredRun>& candidate;
  const RunSetRule& rule;
  const RunSetComparison& comparison;
};

// Verdict first, then why, what was compared, and the figures of each run.
std::string render_compare(const CompareInput& input, const TerminalStyle& style);

// "INCONCLUSIVE (exit 11): single_run": the line that it ends with.
std::string render_compare_line(const CompareInput& input);

}  // namespace traceml
