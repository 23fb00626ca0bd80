#pragma once

#include "harness/plan/plan.h"
#include "workloads/input/dataset.h"

namespace traceml {

// Lists the data set of every arm, before anything else starts: is it there, and does it fill one
// batch on each rank? Throws UsageError with the place in the config.
DataSets list_data_sets(const Plan& plan, int world_size);

// Throws UsageError where the loaders of all ranks of this machine need more memory than it has.
void check_loader_memory(const Plan& plan, int ranks_on_node);

}  // namespace traceml
