#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// report.svg, for a pull request or a chat: the verdict, every gate's interval against its margin,
// and the phases of each arm's step. Light and dark as the reader has it.
std::string render_svg(const ReportInput& input);

}  // namespace traceml
