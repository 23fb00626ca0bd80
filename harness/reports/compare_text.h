#pragma once

#include <string>
#include <utility>
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

// The words of every form.
struct CompareText {
  std::string estimate;                // "+3.10 % wall per step", "no estimate"
  std::string interval;                // "[+2.41, +3.79]"; empty without one
  std::string margin;                  // "allows < 2 %"
  std::string scope;                   // "6 pairs of runs"
  std::vector<std::string> sentences;  // why there is no verdict, and in what the sides differ
  std::vector<std::pair<std::string, std::string>> facts;  // "judged", "wall per step, ..."
};
CompareText compare_text(const CompareInput& input);

// "wall per step, per image"
std::string figure_words(const RunSetComparison& comparison);

// Verdict first, then why, what was compared, and the figures of each run.
std::string render_compare(const CompareInput& input, const TerminalStyle& style);

// "INCONCLUSIVE (exit 11): single_run": the line that it ends with.
std::string render_compare_line(const CompareInput& input);

}  // namespace traceml
