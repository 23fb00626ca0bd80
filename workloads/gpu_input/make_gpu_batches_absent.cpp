#include "harness/core/error.h"
#include "workloads/gpu_input/gpu_batches.h"

namespace traceml {

std::unique_ptr<GpuBatchSource> make_gpu_batches(
    const InputConfig& /*input*/, const WorkloadConfig& /*workload*/, std::uint64_t /*seed*/,
    Rank /*rank*/, int /*world_size*/, std::shared_ptr<const Dataset> /*dataset*/,
    const GpuPlace& /*place*/, const LoaderCores& /*cores*/) {
  throw NotBuilt("decoding on a GPU", "TRACEML_WITH_CUDA");
}

GpuDecoding find_gpu_decoding(int /*gpu*/) {
  return {"", NotBuilt("decoding on a GPU", "TRACEML_WITH_CUDA").what(), 0};
}

}  // namespace traceml
