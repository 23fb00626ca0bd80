#pragma once

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// metrics.prom, for node_exporter's textfile collector: Prometheus' text format 0.0.4. Gauges in
// base units (seconds, bytes, ratios), each with the label `config`; a figure that was not measured
// has no sample, a metric without samples no lines.
std::string render_prometheus(const ReportInput& input);

}  // namespace traceml
