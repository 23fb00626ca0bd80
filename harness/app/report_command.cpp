#include <cstdio>

#include "harness/app/commands.h"
#include "harness/app/finished_run.h"
#include "harness/app/github_step.h"
#include "harness/app/launch_folder.h"
#include "harness/app/pooled_launches.h"
#include "harness/app/selfcheck_folder.h"
#include "harness/app/tidy_file.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

FinishedRun read_run_or_launches(const std::string& dir, bool accept_edited) {
  if (is_launch_folder(dir)) return judge_launches(read_launches(dir, accept_edited));
  return read_finished_run(dir, accept_edited);
}

// A self-check has other reports.
int report_selfcheck(const ReportArguments& arguments) {
  const std::string& dir = arguments.run_dir;
  if (arguments.accept_edited || arguments.tidy || arguments.github) {
    throw UsageError(dir +
                     " is a self-check, for which --accept-edited, --tidy and --github mean "
                     "nothing; leave them out");
  }
  const SelfcheckReport report = read_selfcheck(dir);
  publish_selfcheck(dir, report, arguments.quiet);
  return exit_code_of(report);
}

}  // namespace

int report_command(const ReportArguments& arguments) {
  const std::string& dir = arguments.run_dir;
  if (is_selfcheck_folder(dir)) return report_selfcheck(arguments);
  const std::string step_summary = arguments.github ? github_summary_file() : "";
  const FinishedRun run = read_run_or_launches(dir, arguments.accept_edited);
  publish(dir, run, arguments.quiet);
  if (arguments.tidy) {
    const std::string file = write_tidy_file(dir, run, arguments.accept_edited);
    if (!arguments.quiet) std::fputs(("every step is in " + file + "\n").c_str(), stdout);
  }
  if (arguments.github) tell_github(run, step_summary);
  return run.summary.exit_code;
}

}  // namespace traceml
