#pragma once
// NVIDIA GPUs: which there are, their clock of pooled timing events, their state, a planted delay
// and all-reduces through the host. No CUDA type here. What needs CUDA throws NotBuilt in a binary
// without it, but for cuda_built(), find_gpus(), gpu_driver_version() and make_gpu_monitor(), which
// say that there is none.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/units.h"
#include "harness/ports/collective.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/device_delay.h"
#include "harness/ports/device_monitor.h"

namespace traceml {

bool cuda_built();

struct Gpu {
  int index = 0;                     // among those that CUDA_VISIBLE_DEVICES lets this process see
  std::string name{};                // "NVIDIA H200"
  std::string uuid{};                // "GPU-" and 32 hexadecimal digits in five groups
  std::string pci_bus_id{};          // "0000:1b:00.0"
  std::string compute_capability{};  // "9.0"
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;
};

struct GpuSearch {
  std::vector<Gpu> gpus;
  std::string why_none;  // one sentence, where there are none
  std::optional<std::string>
      driver_cuda;  // the newest CUDA that the driver can run: "13.0"; null without a driver
  std::optional<std::string> runtime;  // the CUDA runtime of this process: "13.0"
};

// Never throws for want of a device, and makes no context.
GpuSearch find_gpus();

// Makes the device current in the calling thread, and its context. Throws RunError.
void use_gpu(int index);

// Bytes of the device's memory that this process and any other have taken; makes a context. Null
// where the runtime does not tell.
std::optional<std::int64_t> gpu_memory_in_use(int device);

// A pool of `marks` events on device `device`, all made now. Queue 0 is the legacy default stream
// of the device that is current in the thread that marks. query(), elapsed() and the destructor
// make `device` current in their thread. Throws RunError.
std::unique_ptr<DeviceClock> make_cuda_device_clock(int device, std::uint32_t marks);

// The version of the driver: "580.65.06"; null where the driver's library does not tell.
std::optional<std::string> gpu_driver_version();

// Reads the state of the device with that UUID from the driver. Null where it cannot; `why_not`
// says why, in one sentence.
std::unique_ptr<DeviceMonitor> make_gpu_monitor(const std::string& uuid, std::string& why_not);

// By a kernel that spins on one multiprocessor.
std::unique_ptr<DeviceDelay> make_gpu_delay(int device);

// For ranks that share a device, which NCCL refuses: buckets of `device` are copied to host memory,
// averaged by `host`, which must outlive this, and copied back. Records are those of `host`: issued
// when the copy has arrived in host memory, ended before the copy back. Throws RunError.
std::unique_ptr<Collective> make_staged_collective(Collective& host, int device);

}  // namespace traceml
