#pragma once

#include <optional>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

// Utilisation, memory, clocks, power and throttling of each arm's devices; columns that no arm has
// are left out. nullopt where none of it was measured.
std::optional<Table> device_table(const ReportInput& input);

}  // namespace traceml
