#pragma once
// report.html: one file with everything in it, for a browser without a network. It is made of the
// page in page/ and of Chart.js; a build without them (TRACEML_WITH_HTML) has no page.

#include <string>
#include <vector>

#include "harness/codec/past_report.h"
#include "harness/codec/selfcheck_json.h"
#include "harness/reports/compare_text.h"
#include "harness/reports/report_input.h"
#include "harness/reports/trace_page.h"

namespace traceml {

bool html_built();

// The same bytes for the same input. Its scripts and its style run by their hash alone: a name that
// looks like a script is text. Throws NotBuilt.
std::string render_html(const ReportInput& input);

// The same form of `compare`, `history`, `selfcheck` and `explain`.
std::string render_compare_html(const CompareInput& input);
std::string render_history_html(const std::vector<RunSeries>& history, const LeftOut& left_out);
std::string render_selfcheck_html(const SelfcheckReport& report);
std::string render_trace_html(const TracePageInput& input);

}  // namespace traceml
