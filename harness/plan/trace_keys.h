#pragma once

#include <vector>

#include "harness/plan/config_keys.h"

namespace traceml {

// The keys of traced steps, for config_keys().
std::vector<ConfigKey> trace_keys();

}  // namespace traceml
