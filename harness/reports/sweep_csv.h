#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// sweep.csv: the settings as written, a line each; an empty field is null. `input.summary` has a
// sweep.
std::string render_sweep_csv(const ReportInput& input);

}  // namespace traceml
