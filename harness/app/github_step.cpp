#include "harness/app/github_step.h"

#include <fcntl.h>

#include <cstdio>
#include <cstdlib>

#include "harness/codec/atomic_file.h"
#include "harness/core/error.h"
#include "harness/reports/github.h"
#include "harness/reports/markdown.h"

namespace traceml {

std::string github_summary_file() {
  const char* file = std::getenv("GITHUB_STEP_SUMMARY");
  if (file == nullptr || *file == '\0') {
    throw UsageError(
        "--github appends to the file that GITHUB_STEP_SUMMARY names, and it is not set; leave "
        "--github out elsewhere than in a step of GitHub Actions");
  }
  return file;
}

void tell_github(const FinishedRun& run, const std::string& summary_file) {
  const ReportInput input{run.info, run.plan, run.summary, "", {}};
  std::fputs(render_github_annotations(input).c_str(), stdout);
  FileDescriptor file(summary_file, O_WRONLY | O_CREAT | O_APPEND);
  file.write(render_markdown(input) + "\n");
}

}  // namespace traceml
