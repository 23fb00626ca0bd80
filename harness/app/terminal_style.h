#pragma once

#include "harness/reports/terminal.h"

namespace traceml {

// As wide as the terminal, and coloured where standard output is one and NO_COLOR is not set.
TerminalStyle style_of_stdout();

}  // namespace traceml
