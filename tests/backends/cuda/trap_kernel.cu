#include "tests/backends/cuda/trap_kernel.h"

namespace traceml {
namespace {

__global__ void trap() {
  __trap();
}

}  // namespace

cudaError_t launch_trap_kernel(cudaStream_t stream) {
  trap<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t load_trap_kernel() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, trap);
}

}  // namespace traceml
