#pragma once

#include <cuda_runtime_api.h>

namespace traceml {

// Breaks the context of this process for good.
cudaError_t launch_trap_kernel(cudaStream_t stream);

// Loads the kernel, so that the launch does not wait for what is queued.
cudaError_t load_trap_kernel();

}  // namespace traceml
