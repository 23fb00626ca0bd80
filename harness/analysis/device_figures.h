#pragma once
// What the devices of an arm did while it ran: clocks, power, throttling and memory
// (docs/statistics.md, 2.9).

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/arm_rows.h"
#include "harness/analysis/summary.h"
#include "harness/analysis/validity.h"
#include "harness/core/records.h"

namespace traceml {

// `valid` lists the windows that count, ascending. `ranks` as by_rank() gives them.
std::optional<DeviceFigures> device_figures_of(const std::vector<const RankRecords*>& ranks,
                                               const std::vector<WindowIndex>& valid);

// `timed`: one entry a rank, steps of one window side by side.
std::optional<MemoryFigures> memory_figures_of(const std::vector<RankRows>& timed);

// More than a fifth of the arm's windows were throttled.
std::optional<Finding> throttle_finding(const ArmSummary& arm);

// "the power cap held ...": empty unless it held one arm in clearly more of its windows.
std::string power_cap_warning(const ArmSummary& candidate, const ArmSummary& baseline);

// Other processes on the device, memory that grew inside a window.
std::vector<std::string> device_warnings(const ArmSummary& arm);

}  // namespace traceml
