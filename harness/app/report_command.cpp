#include "harness/app/commands.h"
#include "harness/app/finished_run.h"

namespace traceml {

int report_command(const ReportArguments& arguments) {
  const FinishedRun run = read_finished_run(arguments.run_dir, arguments.accept_edited);
  print_report(arguments.run_dir, run, arguments.quiet);  // first: the folder may be read-only
  write_reports(arguments.run_dir, run);
  return run.summary.exit_code;
}

}  // namespace traceml
