#include "harness/core/error.h"
#include "harness/reports/html/html.h"

namespace traceml {

bool html_built() {
  return false;
}

namespace {

[[noreturn]] void refuse() {
  throw NotBuilt("the HTML page, which needs Chart.js (package libjs-chart.js),",
                 "TRACEML_WITH_HTML");
}

}  // namespace

std::string render_html(const ReportInput&) {
  refuse();
}

std::string render_compare_html(const CompareInput&) {
  refuse();
}

std::string render_history_html(const std::vector<RunSeries>&, const LeftOut&) {
  refuse();
}

std::string render_selfcheck_html(const SelfcheckReport&) {
  refuse();
}

std::string render_trace_html(const TracePageInput&) {
  refuse();
}

}  // namespace traceml
