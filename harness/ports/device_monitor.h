#pragma once

#include <cstdint>
#include <optional>

namespace traceml {

// Why a device runs slower than it would: bits of DeviceState::throttle_reasons, with NVML's values
// (nvmlClocksEventReasons).
inline constexpr std::uint64_t kThrottleSwPowerCap = 0x4;
inline constexpr std::uint64_t kThrottleHwSlowdown = 0x8;
inline constexpr std::uint64_t kThrottleSwThermal = 0x20;
inline constexpr std::uint64_t kThrottleHwThermal = 0x40;
inline constexpr std::uint64_t kThrottleHwPowerBrake = 0x80;

// Those that make timings worthless. A power cap alone is recorded, not judged: a busy device meets
// it all the time.
inline constexpr std::uint64_t kThrottleThatCounts =
    kThrottleHwSlowdown | kThrottleSwThermal | kThrottleHwThermal | kThrottleHwPowerBrake;

// A device at one moment. Each field is null where the driver does not tell.
struct DeviceState {
  std::optional<int> sm_clock_mhz;
  std::optional<int> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<int> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;
  std::optional<int> other_processes;  // computing on it, besides this one; other ranks count
  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

// Reads the state of one device. Some reads take milliseconds: outside windows, or on a thread of
// its own. One thread at a time.
class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;

  // Never throws: what cannot be read is null.
  virtual DeviceState read() noexcept = 0;
};

}  // namespace traceml
