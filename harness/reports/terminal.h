#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

struct TerminalStyle {
  int columns = 100;    // 80 or more
  bool colour = false;  // false with NO_COLOR or where stdout is no terminal
};

// Verdict first, then why, then the scenario, then the tables.
std::string render_terminal(const ReportInput& input, const TerminalStyle& style);

// "FAIL (exit 10)": the line that the terminal ends with and verdict.txt holds.
std::string render_verdict_line(const ReportInput& input);

}  // namespace traceml
