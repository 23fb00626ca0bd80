#pragma once

#include "harness/core/operator_events.h"
#include "harness/core/run_trace.h"

namespace traceml {

// Puts operators into a trace: names and threads that it has already become one with theirs.
void add_operators(const OperatorEvents& operators, RunTrace* trace);

}  // namespace traceml
