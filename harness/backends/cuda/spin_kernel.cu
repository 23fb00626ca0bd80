#include "harness/backends/cuda/spin_kernel.h"

namespace traceml {
namespace {

__device__ unsigned long long device_time_ns() {
  unsigned long long now_ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
  return now_ns;
}

__global__ void spin(unsigned long long duration_ns) {
  const unsigned long long start_ns = device_time_ns();
  while (device_time_ns() - start_ns < duration_ns) {
  }
}

}  // namespace

cudaError_t launch_spin_kernel(cudaStream_t stream, std::int64_t duration_ns) {
  spin<<<1, 1, 0, stream>>>(static_cast<unsigned long long>(duration_ns));
  return cudaGetLastError();
}

cudaError_t load_spin_kernel() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, spin);
}

}  // namespace traceml
