#pragma once

#include <vector>

#include "harness/plan/config_keys.h"

namespace traceml {

// The keys of equal arms and of noise profiles (docs/statistics.md, 2.7), for config_keys().
std::vector<ConfigKey> selfcheck_keys();

}  // namespace traceml
