#include "harness/app/gpu_text.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/throttle_reasons.h"

namespace traceml {

std::string gpu_text(const Gpu& gpu) {
  return fmt::format("{}, {:.1f} GiB, {} multiprocessors, compute capability {}, PCI {}", gpu.name,
                     static_cast<double>(gpu.memory_bytes) / (1 << 30), gpu.multiprocessors,
                     gpu.compute_capability, gpu.pci_bus_id);
}

std::string device_state_text(const DeviceState& state) {
  std::vector<std::string> parts;
  if (state.sm_clock_mhz) parts.push_back(fmt::format("{} MHz", *state.sm_clock_mhz));
  if (state.memory_clock_mhz)
    parts.push_back(fmt::format("memory {} MHz", *state.memory_clock_mhz));
  if (state.power_w) parts.push_back(fmt::format("{:.1f} W", *state.power_w));
  if (state.temperature_c) parts.push_back(fmt::format("{} C", *state.temperature_c));
  if (state.other_processes) {
    parts.push_back(fmt::format("{} other process{}", *state.other_processes,
                                *state.other_processes == 1 ? "" : "es"));
  }
  return parts.empty() ? "the driver does not tell" : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> device_warnings(int gpu_index, const DeviceState& state) {
  std::vector<std::string> warnings;
  if (state.other_processes.value_or(0) > 0) {
    warnings.push_back(
        fmt::format("GPU {} is used by other processes; its times will not be steady", gpu_index));
  }
  constexpr std::pair<std::uint64_t, const char*> kReasons[] = {
      {kThrottleHwSlowdown, "by the hardware (heat, power or its supply)"},
      {kThrottleSwThermal, "by the driver, for its heat"},
      {kThrottleHwThermal, "by the hardware, for its heat"},
      {kThrottleHwPowerBrake, "by its power supply (power brake)"}};
  for (const auto& [bit, reason] : kReasons) {
    if ((state.throttle_reasons.value_or(0) & bit) == 0) continue;
    warnings.push_back(fmt::format("GPU {} is slowed down {}", gpu_index, reason));
  }
  return warnings;
}

}  // namespace traceml
