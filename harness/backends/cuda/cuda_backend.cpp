#include "harness/backends/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <string_view>

#include "harness/backends/cuda/cuda_check.h"
#include "harness/core/error.h"

namespace traceml {

bool cuda_built() {
  return true;
}

void check(cudaError_t result, std::source_location where) {
  if (result == cudaSuccess) return;
  forget_last_error();
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  throw RunError(fmt::format("CUDA: {}: {} ({}:{})", cudaGetErrorName(result),
                             cudaGetErrorString(result), file, where.line()));
}

void use_gpu(int index) {
  check(cudaSetDevice(index));
  check(cudaFree(nullptr));  // makes the context now where cudaSetDevice did not
}

std::optional<std::int64_t> gpu_memory_in_use(int device) {
  use_gpu(device);
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    forget_last_error();
    return std::nullopt;
  }
  return static_cast<std::int64_t>(total - free);
}

}  // namespace traceml
