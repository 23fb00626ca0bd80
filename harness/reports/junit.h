#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// junit.xml: each gate a test case. FAIL is a failure; INCONCLUSIVE is skipped, a failure where the
// gate says `inconclusive: fail`, and passed where it says `inconclusive: pass`.
std::string render_junit(const ReportInput& input);

}  // namespace traceml
