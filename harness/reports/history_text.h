#pragma once

#include <string>

#include "harness/analysis/history.h"
#include "harness/codec/past_report.h"

namespace traceml {

// Creep first, then each series: what changed in its fingerprint, and of each gate a chart and a
// table of its runs. `columns`: 80 or more.
std::string render_history(const std::vector<RunSeries>& history, const LeftOut& left_out,
                           int columns);

}  // namespace traceml
