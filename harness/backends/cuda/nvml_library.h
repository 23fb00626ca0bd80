#pragma once
// NVML, the library of the driver that tells a device's state. It comes with the driver and not
// with the toolkit, so it is opened at run time; its few functions are declared here, after nvml.h.

#include <dlfcn.h>

#include <memory>
#include <optional>
#include <string>

namespace traceml {

struct NvmlProcess {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

// A device's handle: nvmlDevice_t.
using NvmlDevice = struct NvmlDeviceOpaque*;

class NvmlLibrary {
 public:
  // nullptr: the library is not there or does not start; `why_not` says why.
  static std::unique_ptr<NvmlLibrary> open(std::string& why_not);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  // Results: 0 is success. A function that this driver lacks is null.
  using Result = int;
  static constexpr Result kSuccess = 0;
  static constexpr int kSmClock = 1;
  static constexpr int kMemoryClock = 2;
  static constexpr int kGpuTemperature = 0;

  std::string sentence_of(Result result) const;

  Result (*driver_version)(char* version, unsigned length) = nullptr;
  Result (*handle_by_uuid)(const char* uuid, NvmlDevice* device) = nullptr;
  Result (*clock_mhz)(NvmlDevice device, int type, unsigned* clock_mhz) = nullptr;
  Result (*power_mw)(NvmlDevice device, unsigned* power_mw) = nullptr;
  Result (*temperature_c)(NvmlDevice device, int sensor, unsigned* temperature_c) = nullptr;
  Result (*clocks_event_reasons)(NvmlDevice device, unsigned long long* reasons) = nullptr;
  // `count`: room in `processes`, then how many there are.
  Result (*compute_processes)(NvmlDevice device, unsigned* count, NvmlProcess* processes) = nullptr;

 private:
  struct Closer {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  explicit NvmlLibrary(void* library) : library_(library) {}

  template <class Function>
  void find(Function*& function, const char* name) {
    if (function == nullptr) function = reinterpret_cast<Function*>(dlsym(library_.get(), name));
  }

  std::unique_ptr<void, Closer> library_;
  Result (*init_)() = nullptr;
  Result (*shutdown_)() = nullptr;
  const char* (*error_string_)(Result) = nullptr;
  bool started_ = false;
};

}  // namespace traceml
