#include "harness/app/commands.h"
#include "harness/app/finished_run.h"
#include "harness/app/launch_folder.h"
#include "harness/app/pooled_launches.h"

namespace traceml {
namespace {

FinishedRun read_run_or_launches(const std::string& dir, bool accept_edited) {
  if (is_launch_folder(dir)) return judge_launches(read_launches(dir, accept_edited));
  return read_finished_run(dir, accept_edited);
}

}  // namespace

int report_command(const ReportArguments& arguments) {
  const FinishedRun run = read_run_or_launches(arguments.run_dir, arguments.accept_edited);
  publish(arguments.run_dir, run, arguments.quiet);
  return run.summary.exit_code;
}

}  // namespace traceml
