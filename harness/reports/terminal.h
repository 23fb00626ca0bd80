#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

struct TerminalStyle {
  int columns = 100;    // 80 or more
  bool colour = false;  // false with NO_COLOR or where stdout is no terminal
};

// "PASS" and the like in the colour of the outcome that the word opens with. Blue, orange and
// purple are told apart with any colour vision; the words say it all the same.
std::string outcome_in_colour(const std::string& word);

// Verdict first, then why, then the scenario, then the tables.
std::string render_terminal(const ReportInput& input, const TerminalStyle& style);

// The part of it that says what the gates say.
std::string render_gates(const ReportInput& input, const TerminalStyle& style);

// "FAIL (exit 10)": the line that the terminal ends with and verdict.txt holds.
std::string render_verdict_line(const ReportInput& input);

}  // namespace traceml
