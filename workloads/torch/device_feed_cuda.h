#pragma once

#include <c10/cuda/CUDAStream.h>

#include <memory>

#include "harness/plan/config.h"
#include "workloads/input/batch_source.h"
#include "workloads/torch/batch_feed.h"

namespace traceml {

// A loader's batches on a GPU: copied on a stream of their own into one of two device slots, while
// `training` still works on the other. A device slot is filled again once what read it has run; a
// host slot goes back to the loader once its copy has run. input.pinned page-locks the loader's
// memory; input.copy: blocking copies on `training` itself and waits for it on the host.
std::unique_ptr<BatchFeed> make_device_feed(std::unique_ptr<BatchSource> source,
                                            const ArmConfig& arm, c10::cuda::CUDAStream training);

}  // namespace traceml
