#pragma once

#include <cstdint>

namespace traceml {

// Why a device runs slower than it would: bits, with NVML's values (nvmlClocksEventReasons). Those
// that are left out say nothing against a time: idle, application and display clocks, sync boost.
inline constexpr std::uint64_t kThrottleSwPowerCap = 0x4;
inline constexpr std::uint64_t kThrottleHwSlowdown = 0x8;
inline constexpr std::uint64_t kThrottleSwThermal = 0x20;
inline constexpr std::uint64_t kThrottleHwThermal = 0x40;
inline constexpr std::uint64_t kThrottleHwPowerBrake = 0x80;

}  // namespace traceml
