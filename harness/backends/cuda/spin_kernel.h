#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace traceml {

// Queues one thread that runs until the device's nanosecond clock has moved on by `duration_ns`.
cudaError_t launch_spin_kernel(cudaStream_t stream, std::int64_t duration_ns);

// Queues a look at that clock, into device memory.
cudaError_t launch_note_time(cudaStream_t stream, unsigned long long* noted_ns);

// Queues one thread that runs for `fraction`, at least 0, of the time since the noted one.
cudaError_t launch_spin_share(cudaStream_t stream, const unsigned long long* noted_ns,
                              double fraction);

// Loads the kernels, so that no launch has to.
cudaError_t load_spin_kernels();

}  // namespace traceml
