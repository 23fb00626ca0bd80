#pragma once
// Operators of libtorch, by its record functions. No libtorch type here: operator_recorder.cpp is
// the real thing, operator_recorder_absent.cpp stands in where TRACEML_WITH_TORCH is off.

#include <memory>

#include "harness/ports/operator_trace.h"

namespace traceml {

// One a process at a time. Each of the first eight threads that run operators has room of its own,
// made by begin(); an operator for which there is no room is counted, and its time is then that of
// the one around it. Throws NotBuilt without libtorch.
std::unique_ptr<OperatorTrace> make_operator_recorder();

}  // namespace traceml
