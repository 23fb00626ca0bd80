#pragma once
// The step of GitHub Actions that this process runs in.

#include <optional>
#include <string>

#include "harness/app/finished_run.h"

namespace traceml {

// The file that GITHUB_STEP_SUMMARY names. Throws UsageError where it names none.
std::string github_summary_file();

// Prints a workflow command for each gate that a reader must see, and appends summary.md to the
// step's summary. Throws RunError where that cannot be written.
void tell_github(const FinishedRun& run, const std::string& summary_file);

}  // namespace traceml
