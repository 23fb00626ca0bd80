#include "harness/reports/all_reports.h"

#include "harness/codec/benchmark_json.h"
#include "harness/codec/run_json.h"
#include "harness/codec/traceml_summary_write.h"
#include "harness/reports/html/html.h"
#include "harness/reports/junit.h"
#include "harness/reports/markdown.h"
#include "harness/reports/pipeline_table.h"
#include "harness/reports/prometheus.h"
#include "harness/reports/svg.h"
#include "harness/reports/sweep_csv.h"
#include "harness/reports/terminal.h"

namespace traceml {

std::map<std::string, std::string> render_files(const ReportInput& input) {
  const std::string summary = render_markdown(input);
  std::map<std::string, std::string> files = {
      {"verdict.txt", render_verdict_line(input) + "\n"},
      {"summary.md", summary},
      {"junit.xml", render_junit(input)},
      {"metrics.prom", render_prometheus(input)},
      {"benchmark.json", write_benchmark_json(input.info, input.plan, input.summary)},
      {"report.svg", render_svg(input)},
      {"run.json", write_run_json(input.info, input.plan, input.summary)}};
  if (auto inputs = render_input_csv(input)) files["input.csv"] = std::move(*inputs);
  if (!input.plan.facts.commands) {  // of launches we know no steps
    files["final_summary.json"] =
        write_traceml_summary(input.info, input.plan, input.summary, summary);
  }
  if (input.summary.sweep) files["sweep.csv"] = render_sweep_csv(input);
  if (html_built()) files["report.html"] = render_html(input);
  return files;
}

}  // namespace traceml
