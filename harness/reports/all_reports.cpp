#include "harness/reports/all_reports.h"

#include "harness/codec/run_json.h"
#include "harness/reports/junit.h"
#include "harness/reports/markdown.h"
#include "harness/reports/terminal.h"

namespace traceml {

std::map<std::string, std::string> render_files(const ReportInput& input) {
  return {{"verdict.txt", render_verdict_line(input) + "\n"},
          {"summary.md", render_markdown(input)},
          {"junit.xml", render_junit(input)},
          {"run.json", write_run_json(input.info, input.plan, input.summary)}};
}

}  // namespace traceml
