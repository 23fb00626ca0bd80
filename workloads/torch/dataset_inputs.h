#pragma once

#include <cstdint>
#include <memory>

#include "harness/core/ids.h"
#include "workloads/input/dataset.h"
#include "workloads/input/loader_cores.h"
#include "workloads/torch/input_provider.h"

namespace traceml {

// Loaders over the data sets that arms name in input.dataset. A data set that is not
// `listed` is listed when the first arm opens it; each is read once into the page cache, unless
// input.cache is cold in all arms that read it. Loader threads keep to `cores`.
std::unique_ptr<InputProvider> make_dataset_inputs(std::uint64_t seed, Rank rank, int world_size,
                                                   DataSets listed = {}, LoaderCores cores = {});

}  // namespace traceml
