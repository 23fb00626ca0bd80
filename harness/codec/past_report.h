#pragma once
// A run.json for `history`, and what `history --json` writes.

#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/history.h"

namespace traceml {

// Of DIR/run.json. Throws UsageError naming the file and the place of what is wrong: missing, torn,
// of another tool or schema.
PastReport read_past_report(const std::string& dir);

// The same of text; `path` names it in sentences.
PastReport past_report_of_text(const std::string& text, const std::string& path);

// A folder and why it could not be read.
using LeftOut = std::vector<std::pair<std::string, std::string>>;

std::string write_history_json(const std::vector<RunSeries>& history, const LeftOut& left_out);

}  // namespace traceml
