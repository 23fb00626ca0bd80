#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace traceml {

// Queues one thread that runs until the device's nanosecond clock has moved on by `duration_ns`.
cudaError_t launch_spin_kernel(cudaStream_t stream, std::int64_t duration_ns);

// Loads the kernel, so that no launch has to.
cudaError_t load_spin_kernel();

}  // namespace traceml
