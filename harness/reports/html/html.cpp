#include "harness/reports/html/html.h"

#include <fmt/format.h>

#include "harness/reports/gate_text.h"
#include "harness/reports/html/page.h"
#include "harness/reports/html/page_data.h"
#include "harness/reports/terminal.h"
#include "harness/reports/trace_head.h"

namespace traceml {

bool html_built() {
  return true;
}

std::string render_html(const ReportInput& input) {
  Page page;
  page.verdict = render_verdict_line(input);
  page.title = input.plan.config.name + ": " + page.verdict;
  for (const GateText& gate : gate_texts(input)) {
    page.lines.push_back(fmt::format("{} {}: {}", gate.outcome, gate.name, gate.figures()));
  }
  page.data = page_data(input);
  return render_page(page);
}

std::string render_compare_html(const CompareInput& input) {
  const CompareText text = compare_text(input);
  Page page;
  page.verdict = render_compare_line(input);
  page.title = "candidate against baseline: " + page.verdict;
  page.lines = text.sentences;
  page.data = compare_page_data(input);
  return render_page(page);
}

std::string render_history_html(const std::vector<RunSeries>& history, const LeftOut& left_out) {
  Page page;
  page.verdict = history_line(history);
  page.title = "history: " + page.verdict;
  for (const RunSeries& series : history) {
    for (const GateSeries& gate : series.gates) {
      page.lines.push_back(gate.name + ": " + creep_sentence(series, gate));
    }
  }
  page.data = history_page_data(history, left_out);
  return render_page(page);
}

std::string render_selfcheck_html(const SelfcheckReport& report) {
  Page page;
  page.verdict = render_selfcheck_line(report);
  page.title = "selfcheck: " + page.verdict;
  page.lines.push_back(selfcheck_subject(report));
  for (const auto& [label, text] : selfcheck_facts(report, "")) {
    page.lines.push_back(label + ": " + text);
  }
  page.data = selfcheck_page_data(report);
  return render_page(page);
}

std::string render_trace_html(const TracePageInput& input) {
  Page page;
  page.verdict = trace_line(input.reports);
  page.title = "explain: " + page.verdict;
  for (const std::size_t i : traces_in_full(input.reports)) {
    const TraceHead head = trace_head(input.reports[i]);
    page.lines.push_back(head.trace + ": " + head.trust);
    page.lines.push_back("found: " + (head.found.empty() ? nothing_found(input.reports[i])
                                                         : head.found + " of the span"));
  }
  page.data = trace_page_data(input);
  return render_page(page);
}

}  // namespace traceml
