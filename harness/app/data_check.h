#pragma once

#include "harness/plan/plan.h"

namespace traceml {

// Looks at the data set of every arm before anything else starts: is it there, and does it fill one
// batch on each rank? Throws UsageError with the place in the config.
void check_data_sets(const Plan& plan, int world_size);

}  // namespace traceml
