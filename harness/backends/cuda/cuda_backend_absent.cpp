#include "harness/backends/cuda/cuda_backend.h"
#include "harness/core/error.h"

namespace traceml {

bool cuda_built() {
  return false;
}

std::unique_ptr<DeviceClock> make_cuda_device_clock(int, std::uint32_t) {
  throw NotBuilt("the CUDA device clock", "TRACEML_WITH_CUDA");
}

}  // namespace traceml
