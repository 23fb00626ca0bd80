#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// summary.md: GitHub-flavoured, fit for a step summary.
std::string render_markdown(const ReportInput& input);

}  // namespace traceml
