#include "harness/backends/cuda/nvml_library.h"

#include <fmt/format.h>

namespace traceml {

std::unique_ptr<NvmlLibrary> NvmlLibrary::open(std::string& why_not) {
  void* opened = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    why_not = "the driver's library libnvidia-ml.so.1 cannot be loaded";
    return nullptr;
  }
  std::unique_ptr<NvmlLibrary> nvml(new NvmlLibrary(opened));
  nvml->find(nvml->init_, "nvmlInit_v2");
  nvml->find(nvml->shutdown_, "nvmlShutdown");
  nvml->find(nvml->error_string_, "nvmlErrorString");
  nvml->find(nvml->driver_version, "nvmlSystemGetDriverVersion");
  nvml->find(nvml->handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  nvml->find(nvml->clock_mhz, "nvmlDeviceGetClockInfo");
  nvml->find(nvml->power_mw, "nvmlDeviceGetPowerUsage");
  nvml->find(nvml->temperature_c, "nvmlDeviceGetTemperature");
  nvml->find(nvml->clocks_event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  nvml->find(nvml->clocks_event_reasons,
             "nvmlDeviceGetCurrentClocksThrottleReasons");  // before 535
  nvml->find(nvml->compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (nvml->init_ == nullptr || nvml->shutdown_ == nullptr || nvml->handle_by_uuid == nullptr) {
    why_not = "the driver's libnvidia-ml.so.1 is too old";
    return nullptr;
  }
  if (const Result result = nvml->init_(); result != kSuccess) {
    why_not = "the driver's NVML does not start: " + nvml->sentence_of(result);
    return nullptr;
  }
  nvml->started_ = true;
  return nvml;
}

NvmlLibrary::~NvmlLibrary() {
  if (started_) shutdown_();
}

std::string NvmlLibrary::sentence_of(Result result) const {
  if (error_string_ == nullptr) return fmt::format("NVML error {}", result);
  return error_string_(result);
}

}  // namespace traceml
