#include "harness/analysis/device_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

#include "harness/analysis/text.h"
#include "harness/core/throttle_reasons.h"

namespace traceml {

namespace {

using std::to_string;

struct Reasons {
  std::uint64_t bit = 0;
  std::string_view name;
  bool forbids = false;
};

constexpr std::array<Reasons, 5> kReasons = {
    {{kThrottleSwPowerCap, "sw_power_cap", false},
     {kThrottleHwSlowdown, "hw_slowdown", true},
     {kThrottleSwThermal, "sw_thermal_slowdown", true},
     {kThrottleHwThermal, "hw_thermal_slowdown", true},
     {kThrottleHwPowerBrake, "hw_power_brake_slowdown", true}}};

constexpr double kThrottledAtMost = 0.2;  // of the windows

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

std::string of_windows(std::int64_t part, std::int64_t all) {
  return to_string(part) + " of " + to_string(all) + " windows";
}

std::string mebibytes(std::int64_t bytes) {
  constexpr std::int64_t kMebi = 1 << 20;
  return to_string((bytes + kMebi / 2) / kMebi) + " MiB";
}

}  // namespace

std::optional<DeviceFigures> device_figures_of(const std::vector<const RankRecords*>& ranks,
                                               const std::vector<WindowIndex>& valid) {
  RangeOf sm_clock, memory_clock, power, temperature;
  std::set<WindowIndex> told, throttled, capped, shared;
  std::uint64_t seen = 0;
  bool any = false;
  for (const RankRecords* rank : ranks) {
    if (rank == nullptr) continue;
    for (const DeviceRecord& record : rank->devices) {
      if (!std::binary_search(valid.begin(), valid.end(), record.window)) continue;
      any = true;
      sm_clock.add(record.sm_clock_mhz);
      memory_clock.add(record.memory_clock_mhz);
      power.add(record.power_w);
      temperature.add(record.temperature_c);
      if (record.other_processes.value_or(0) > 0) shared.insert(record.window);
      if (!record.throttle_reasons) continue;
      told.insert(record.window);
      seen |= *record.throttle_reasons;
      for (const Reasons& reason : kReasons) {
        if ((*record.throttle_reasons & reason.bit) == 0) continue;
        if (reason.forbids) throttled.insert(record.window);
        if (reason.bit == kThrottleSwPowerCap) capped.insert(record.window);
      }
    }
  }
  if (!any) return std::nullopt;
  DeviceFigures figures;
  figures.windows = std::ssize(told);
  figures.throttled = std::ssize(throttled);
  figures.power_capped = std::ssize(capped);
  for (const Reasons& reason : kReasons) {
    if ((seen & reason.bit) != 0) figures.reasons.emplace_back(reason.name);
  }
  figures.sm_clock_mhz = sm_clock.range();
  figures.memory_clock_mhz = memory_clock.range();
  figures.power_w = power.range();
  figures.temperature_c = temperature.range();
  figures.shared_windows = std::ssize(shared);
  return figures;
}

std::optional<MemoryFigures> memory_figures_of(const std::vector<RankRows>& timed) {
  MemoryFigures figures;
  std::set<WindowIndex> grown;
  for (const RankRows& rank : timed) {
    const StepRecord* first = nullptr;  // of the window
    for (const StepRecord* step : rank.rows) {
      figures.allocated_peak_bytes =
          std::max(figures.allocated_peak_bytes, step->allocated_peak_bytes);
      figures.reserved_peak_bytes =
          std::max(figures.reserved_peak_bytes, step->reserved_peak_bytes);
      if (first == nullptr || first->window != step->window) first = step;
      if (!step->window || !first->reserved_peak_bytes || !step->reserved_peak_bytes) continue;
      const std::int64_t growth = *step->reserved_peak_bytes - *first->reserved_peak_bytes;
      if (growth <= 0) continue;
      grown.insert(*step->window);
      figures.growth_bytes = std::max(figures.growth_bytes, growth);
    }
  }
  if (!figures.allocated_peak_bytes && !figures.reserved_peak_bytes) return std::nullopt;
  figures.grown_windows = std::ssize(grown);
  return figures;
}

std::optional<Finding> throttle_finding(const ArmSummary& arm) {
  if (!arm.device || share(arm.device->throttled, arm.device->windows) <= kThrottledAtMost) {
    return std::nullopt;
  }
  std::string reasons;
  for (const Reasons& reason : kReasons) {
    const auto& seen = arm.device->reasons;
    if (!reason.forbids || std::find(seen.begin(), seen.end(), reason.name) == seen.end()) continue;
    reasons += (reasons.empty() ? "" : ", ") + std::string(reason.name);
  }
  return Finding{Reason::kClockThrottle,
                 "a device slowed its clocks in " +
                     of_windows(arm.device->throttled, arm.device->windows) + " of " + arm.name +
                     " (" + reasons + "), more than 20 %: cool it, or wait for it"};
}

std::string power_cap_warning(const ArmSummary& candidate, const ArmSummary& baseline) {
  if (!candidate.device || !baseline.device) return "";
  if (candidate.device->windows == 0 || baseline.device->windows == 0) return "";
  const double own = share(candidate.device->power_capped, candidate.device->windows);
  const double other = share(baseline.device->power_capped, baseline.device->windows);
  if (std::abs(own - other) <= kThrottledAtMost) return "";
  return "devices were at their power cap in " +
         of_windows(candidate.device->power_capped, candidate.device->windows) + " of " +
         candidate.name + " and " +
         of_windows(baseline.device->power_capped, baseline.device->windows) + " of " +
         baseline.name + ": part of the difference is that of their clocks";
}

std::vector<std::string> device_warnings(const ArmSummary& arm) {
  std::vector<std::string> warnings;
  if (arm.device && arm.device->shared_windows > 0) {
    warnings.push_back(arm.name + ": another process was on a device of the run in " +
                       to_string(arm.device->shared_windows) + " windows");
  }
  if (arm.memory && arm.memory->grown_windows > 0) {
    warnings.push_back(arm.name + ": the allocator grew inside " +
                       to_string(arm.memory->grown_windows) + " windows, by up to " +
                       mebibytes(arm.memory->growth_bytes) +
                       ": such a step waits for the device; warm up longer");
  }
  return warnings;
}

}  // namespace traceml
