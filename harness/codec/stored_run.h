#pragma once
// A file for `compare`: a run.json of ours or a final_summary.json of TraceML.

#include <string>

#include "harness/analysis/run_set.h"

namespace traceml {

// `arm`: of a run.json; empty: its only arm that is not hidden. Throws UsageError naming the file
// and the place of what is wrong.
StoredRun read_stored_run(const std::string& path, const std::string& arm);

// The same of text; `path` names it in sentences.
StoredRun stored_run_of_text(const std::string& text, const std::string& path,
                             const std::string& arm);

}  // namespace traceml
