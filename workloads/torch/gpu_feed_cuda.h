#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "harness/plan/config.h"
#include "workloads/gpu_input/gpu_batches.h"
#include "workloads/torch/batch_feed.h"

namespace traceml {

// Batches that were decoded on the training device, read in place in its slots.
std::unique_ptr<BatchFeed> make_gpu_feed(std::unique_ptr<GpuBatchSource> source,
                                         const ArmConfig& arm, at::Device device);

}  // namespace traceml
