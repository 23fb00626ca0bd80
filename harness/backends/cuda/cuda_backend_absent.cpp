#include "harness/backends/cuda/cuda_backend.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw NotBuilt(what, "TRACEML_WITH_CUDA");
}

}  // namespace

bool cuda_built() {
  return false;
}

GpuSearch find_gpus() {
  return {.gpus = {},
          .why_none = "CUDA is not built into this binary; configure with -DTRACEML_WITH_CUDA=ON",
          .driver_cuda = std::nullopt,
          .runtime = std::nullopt};
}

void use_gpu(int) {
  refuse("training on a GPU");
}

std::optional<std::int64_t> gpu_memory_in_use(int) {
  return std::nullopt;
}

std::unique_ptr<DeviceClock> make_cuda_device_clock(int, std::uint32_t) {
  refuse("the CUDA device clock");
}

std::optional<std::string> gpu_driver_version() {
  return std::nullopt;
}

std::unique_ptr<DeviceMonitor> make_gpu_monitor(const std::string&, std::string& why_not) {
  why_not = find_gpus().why_none;
  return nullptr;
}

std::unique_ptr<DeviceDelay> make_gpu_delay(int) {
  refuse("a delay on a GPU");
}

std::unique_ptr<Collective> make_staged_collective(Collective&, int) {
  refuse("the all-reduce of device buckets through the host");
}

}  // namespace traceml
