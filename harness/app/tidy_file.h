#pragma once

#include <string>

#include "harness/app/finished_run.h"

namespace traceml {

// Writes DIR/tidy.csv (codec/tidy_csv.h) of a run or of the launches in DIR, which `run` was read
// from, and answers its path. One rank is in memory at a time. Throws UsageError for arms that are
// commands, whose steps nobody sees, and RunError as reading and writing do.
std::string write_tidy_file(const std::string& dir, const FinishedRun& run, bool accept_edited);

}  // namespace traceml
