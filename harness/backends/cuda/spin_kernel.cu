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

__global__ void note_time(unsigned long long* noted_ns) {
  *noted_ns = device_time_ns();
}

__global__ void spin_share(const unsigned long long* noted_ns, double fraction) {
  const unsigned long long start_ns = device_time_ns();
  const auto duration_ns =
      static_cast<unsigned long long>(static_cast<double>(start_ns - *noted_ns) * fraction);
  while (device_time_ns() - start_ns < duration_ns) {
  }
}

}  // namespace

cudaError_t launch_spin_kernel(cudaStream_t stream, std::int64_t duration_ns) {
  spin<<<1, 1, 0, stream>>>(static_cast<unsigned long long>(duration_ns));
  return cudaGetLastError();
}

cudaError_t launch_note_time(cudaStream_t stream, unsigned long long* noted_ns) {
  note_time<<<1, 1, 0, stream>>>(noted_ns);
  return cudaGetLastError();
}

cudaError_t launch_spin_share(cudaStream_t stream, const unsigned long long* noted_ns,
                              double fraction) {
  spin_share<<<1, 1, 0, stream>>>(noted_ns, fraction);
  return cudaGetLastError();
}

cudaError_t load_spin_kernels() {
  cudaFuncAttributes attributes{};
  cudaError_t result = cudaFuncGetAttributes(&attributes, spin);
  if (result == cudaSuccess) result = cudaFuncGetAttributes(&attributes, note_time);
  if (result == cudaSuccess) result = cudaFuncGetAttributes(&attributes, spin_share);
  return result;
}

}  // namespace traceml
