#pragma once

#include <optional>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

// What each launch says of each gate, and the wall per step of each arm; nullopt where one launch
// was judged alone.
std::optional<Table> pooled_launch_table(const ReportInput& input);

}  // namespace traceml
