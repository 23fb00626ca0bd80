#pragma once
// Activity traces through CUPTI. No CUPTI type here.

#include <memory>

#include "harness/ports/activity_trace.h"

namespace traceml {

bool cupti_built();

// Throws NotBuilt in a binary without CUPTI.
std::unique_ptr<ActivityTrace> make_cupti_trace();

}  // namespace traceml
