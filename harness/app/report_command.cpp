#include "harness/app/commands.h"
#include "harness/app/finished_run.h"

namespace traceml {

int report_command(const ReportArguments& arguments) {
  const FinishedRun run = read_finished_run(arguments.run_dir, arguments.accept_edited);
  publish(arguments.run_dir, run, arguments.quiet);
  return run.summary.exit_code;
}

}  // namespace traceml
