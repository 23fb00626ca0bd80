#pragma once

#include <map>
#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// File name -> content of every report of a run: verdict.txt, summary.md, junit.xml, metrics.prom,
// benchmark.json, run.json, report.svg, report.html (where it is built in), final_summary.json (not
// of commands), sweep.csv (of a sweep). They depend on the raw files alone, not on the time or
// place of writing.
std::map<std::string, std::string> render_files(const ReportInput& input);

}  // namespace traceml
