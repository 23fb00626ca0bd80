#include <cstdio>

#include "harness/app/commands.h"
#include "harness/app/output_file.h"
#include "harness/app/terminal_style.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/stored_run.h"
#include "harness/core/error.h"
#include "harness/plan/value_forms.h"
#include "harness/reports/compare_text.h"
#include "harness/reports/html/html.h"

namespace traceml {
namespace {

std::vector<StoredRun> read_all(const std::vector<std::string>& files, const std::string& arm) {
  std::vector<StoredRun> runs;
  for (const std::string& file : files) runs.push_back(read_stored_run(file, arm));
  return runs;
}

double margin_of(const std::string& text) {
  const Reading<double> margin = margin_form().read(text);
  if (!margin.value) throw UsageError("--max-regression " + margin.fault);
  return *margin.value;
}

}  // namespace

int compare_command(const CompareArguments& arguments) {
  RunSetRule rule;
  rule.delta = margin_of(arguments.max_regression);
  refuse_to_overwrite("--html", arguments.html, arguments.baseline);
  refuse_to_overwrite("--html", arguments.html, arguments.candidate);
  const std::vector<StoredRun> baseline = read_all(arguments.baseline, arguments.arm);
  const std::vector<StoredRun> candidate = read_all(arguments.candidate, arguments.arm);
  const RunSetComparison comparison = compare_run_sets(baseline, candidate, rule);
  const CompareInput input{baseline, candidate, rule, comparison};
  if (!arguments.html.empty()) write_file_atomically(arguments.html, render_compare_html(input));
  const std::string text = arguments.quiet ? render_compare_line(input) + "\n"
                                           : render_compare(input, style_of_stdout());
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return exit_code_of(comparison);
}

}  // namespace traceml
