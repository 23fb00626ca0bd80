#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// junit.xml: each gate a test case; FAIL is a failure, INCONCLUSIVE is skipped unless the gate says
// otherwise.
std::string render_junit(const ReportInput& input);

}  // namespace traceml
