#pragma once

#include <memory>

#include "harness/core/ids.h"
#include "harness/plan/config.h"
#include "workloads/input/batch_source.h"
#include "workloads/input/dataset.h"
#include "workloads/input/loader_cores.h"

namespace traceml {

// Throws UsageError for a data set with more classes than the model.
void require_classes(const Dataset& dataset, const WorkloadConfig& workload);

// The batches of one arm on one rank, parked. Throws UsageError: settings that cannot work, a data
// set too small for one batch on each rank or with more classes than the model.
std::unique_ptr<BatchSource> make_batch_source(const InputConfig& input,
                                               const WorkloadConfig& workload, std::uint64_t seed,
                                               Rank rank, int world_size,
                                               std::shared_ptr<const Dataset> dataset,
                                               const LoaderCores& cores = {});

}  // namespace traceml
