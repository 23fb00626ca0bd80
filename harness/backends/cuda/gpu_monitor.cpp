#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cuda/cuda_check.h"
#include "harness/backends/cuda/nvml_library.h"

namespace traceml {
namespace {

std::optional<int> cuda_index_of(const std::string& uuid) {
  for (const Gpu& gpu : find_gpus().gpus) {
    if (gpu.uuid == uuid) return gpu.index;
  }
  return std::nullopt;
}

// Whether this process computes on the device. Asks the driver, which is not linked; makes no
// context.
bool has_context(std::optional<int> cuda_index) noexcept {
  if (!cuda_index) return false;
  void* symbol = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t result = cudaGetDriverEntryPointByVersion(
      "cuDevicePrimaryCtxGetState", &symbol, CUDART_VERSION, cudaEnableDefault, &found);
  if (result != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    forget_last_error();
    return false;
  }
  using GetState = int(int device, unsigned* flags, int* active);
  unsigned flags = 0;
  int active = 0;
  return reinterpret_cast<GetState*>(symbol)(*cuda_index, &flags, &active) == 0 && active != 0;
}

class GpuMonitor final : public DeviceMonitor {
 public:
  GpuMonitor(std::unique_ptr<NvmlLibrary> nvml, NvmlDevice device, std::optional<int> cuda_index)
      : nvml_(std::move(nvml)), device_(device), cuda_index_(cuda_index) {}

  DeviceState read() noexcept override {
    DeviceState state;
    state.sm_clock_mhz = clock_mhz(NvmlLibrary::kSmClock);
    state.memory_clock_mhz = clock_mhz(NvmlLibrary::kMemoryClock);
    unsigned value = 0;
    if (ask(nvml_->power_mw, &value)) state.power_w = value / 1000.0;
    if (ask(nvml_->temperature_c, NvmlLibrary::kGpuTemperature, &value)) {
      state.temperature_c = static_cast<int>(value);
    }
    unsigned long long reasons = 0;
    if (ask(nvml_->clocks_event_reasons, &reasons)) state.throttle_reasons = reasons;
    state.other_processes = other_processes();
    return state;
  }

 private:
  template <class... Parameters, class... Arguments>
  bool ask(NvmlLibrary::Result (*function)(NvmlDevice, Parameters...), Arguments... arguments) {
    return function != nullptr && function(device_, arguments...) == NvmlLibrary::kSuccess;
  }

  std::optional<int> clock_mhz(int type) {
    unsigned value = 0;
    if (!ask(nvml_->clock_mhz, type, &value)) return std::nullopt;
    return static_cast<int>(value);
  }

  // In a container the driver may list processes by other ids than theirs here, or none at all. So
  // where this process computes on the device and is not in the list, nothing is known.
  std::optional<int> other_processes() {
    if (nvml_->compute_processes == nullptr) return std::nullopt;
    auto count = static_cast<unsigned>(processes_.size());
    const auto result = nvml_->compute_processes(device_, &count, processes_.data());
    if (result != NvmlLibrary::kSuccess) return std::nullopt;
    const auto own = static_cast<unsigned>(getpid());
    const auto others = std::count_if(processes_.begin(), processes_.begin() + count,
                                      [own](const NvmlProcess& one) { return one.pid != own; });
    const bool lists_this = others != static_cast<std::ptrdiff_t>(count);
    if (!lists_this && has_context(cuda_index_)) return std::nullopt;
    return static_cast<int>(others);
  }

  std::unique_ptr<NvmlLibrary> nvml_;
  NvmlDevice device_;
  std::optional<int> cuda_index_;
  std::array<NvmlProcess, 256> processes_{};
};

}  // namespace

std::optional<std::string> gpu_driver_version() {
  std::string why_not;
  const auto nvml = NvmlLibrary::open(why_not);
  std::array<char, 96> version{};
  if (!nvml || nvml->driver_version == nullptr ||
      nvml->driver_version(version.data(), version.size()) != NvmlLibrary::kSuccess) {
    return std::nullopt;
  }
  return version.data();
}

std::unique_ptr<DeviceMonitor> make_gpu_monitor(const std::string& uuid, std::string& why_not) {
  auto nvml = NvmlLibrary::open(why_not);
  if (!nvml) return nullptr;
  NvmlDevice device = nullptr;
  if (const auto result = nvml->handle_by_uuid(uuid.c_str(), &device);
      result != NvmlLibrary::kSuccess) {
    why_not = "NVML does not know device " + uuid + ": " + nvml->sentence_of(result);
    return nullptr;
  }
  return std::make_unique<GpuMonitor>(std::move(nvml), device, cuda_index_of(uuid));
}

}  // namespace traceml
