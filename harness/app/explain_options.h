#pragma once

#include "harness/app/command_line.h"

namespace CLI {
class App;
}

namespace traceml {

// Adds `explain` to the program's commands; what it reads goes into `explain`, which must outlive
// the parsing.
void add_explain(CLI::App& app, ExplainArguments& explain);

}  // namespace traceml
