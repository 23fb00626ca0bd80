#pragma once

#include <cstdint>
#include <optional>

namespace traceml {

// A device at one moment. Each field is null where the driver does not tell.
struct DeviceState {
  std::optional<int> sm_clock_mhz;
  std::optional<int> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<int> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  // core/throttle_reasons.h
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
