#include "harness/reports/device_table.h"

#include <fmt/format.h>

#include <set>

#include "harness/codec/efficiency.h"
#include "harness/reports/figures.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

std::string gibibytes(const std::optional<std::int64_t>& bytes) {
  if (!bytes) return kNull;
  return fixed(static_cast<double>(*bytes) / (1 << 30), 2);
}

std::string mean_of(const std::optional<Range>& range) {
  return range ? fixed(range->mean, 0) : kNull;
}

std::string least_of(const std::optional<Range>& range) {
  return range ? fixed(range->min, 0) : kNull;
}

std::string most_of(const std::optional<Range>& range) {
  return range ? fixed(range->max, 0) : kNull;
}

std::string of_windows(std::int64_t count, const DeviceFigures& device) {
  return device.windows == 0 ? kNull : fmt::format("{}/{}", count, device.windows);
}

std::vector<std::string> row_of(const ArmSummary& arm,
                                const std::optional<Efficiency>& efficiency) {
  const MemoryFigures memory = arm.memory.value_or(MemoryFigures{});
  const DeviceFigures device = arm.device.value_or(DeviceFigures{});
  const bool has_peak = efficiency && efficiency->mfu;
  return {arm.name,
          has_peak ? percent(efficiency->mfu, 1) : kNull,
          has_peak ? percent(efficiency->hfu(), 1) : kNull,
          has_peak ? fixed(efficiency->tflop_per_s, 1) : kNull,
          gibibytes(memory.allocated_peak_bytes),
          gibibytes(memory.reserved_peak_bytes),
          arm.memory ? std::to_string(memory.grown_windows) : kNull,
          mean_of(device.sm_clock_mhz),
          least_of(device.sm_clock_mhz),
          mean_of(device.memory_clock_mhz),
          mean_of(device.power_w),
          most_of(device.power_w),
          most_of(device.temperature_c),
          of_windows(device.throttled, device),
          of_windows(device.power_capped, device)};
}

}  // namespace

std::optional<Table> device_table(const ReportInput& input) {
  Table table;
  table.title = "Devices";
  table.caption =
      "MFU: FLOP of the model's layers a second (TFLOP/s, one rank) as a share of the device's "
      "dense peak, from the wall time. Peak memory: of the allocator, GiB, max of timed steps and "
      "ranks. Clocks (MHz), power (W) and temperature (C): read before and after each window, over "
      "ranks. throttled, power cap: windows.";
  table.columns = {{"arm", true, 0, true},
                   {"MFU"},
                   {"HFU", false, 8, false},
                   {"TFLOP/s", false, 5, false},
                   {"memory\nallocated"},
                   {"memory\nreserved", false, 1, false},
                   {"windows\nit grew", false, 3, false},
                   {"SM clock\nmean"},
                   {"SM clock\nmin", false, 4, false},
                   {"mem. clock\nmean", false, 9, false},
                   {"power\nmean"},
                   {"power\nmax", false, 7, false},
                   {"temp.\nmax", false, 2, false},
                   {"throttled"},
                   {"power\ncap", false, 6, false}};
  std::set<std::string> sources;
  for (const ArmSummary& arm : input.summary.arms) {
    const auto efficiency = efficiency_of(input.plan, input.info.environment, arm);
    if (efficiency && efficiency->mfu) {
      sources.insert(
          fmt::format("{:g} TFLOP/s ({})", *efficiency->peak_tflop_per_s, efficiency->peak_source));
    }
    table.rows.push_back(row_of(arm, efficiency));
  }
  drop_empty_columns(&table);
  if (table.columns.size() == 1) return std::nullopt;
  if (!sources.empty()) {
    table.remarks.push_back(
        fmt::format("Dense peak: {}.", joined({sources.begin(), sources.end()}, "; ")));
  }
  return table;
}

}  // namespace traceml
