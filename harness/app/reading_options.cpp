#include "harness/app/reading_options.h"

namespace traceml {

std::string not_empty(const std::string& text) {
  return text.empty() ? "is empty" : "";
}

void add_report(CLI::App& app, ReportArguments& report) {
  CLI::App* command =
      app.add_subcommand("report", "make every report of a run again from its raw files");
  command->add_option("run_dir", report.run_dir, "folder of a run")
      ->required()
      ->type_name("RUN_DIR");
  command->add_flag("--accept-edited", report.accept_edited,
                    "read raw files whose checksums do not match (for experiments)");
  command->add_flag("--quiet", report.quiet, "print the verdict line alone");
  command->add_flag("--tidy", report.tidy,
                    "also write tidy.csv: a row a rank, step, phase and clock, for pandas");
  command->add_flag("--github", report.github,
                    "in a step of GitHub Actions: annotations, and summary.md on the job's page");
}

void add_compare(CLI::App& app, CompareArguments& compare) {
  CLI::App* command = app.add_subcommand(
      "compare", "judge sets of run.json or of TraceML's final_summary.json, one file a launch");
  command->add_option("--baseline", compare.baseline, "files to compare with, in launch order")
      ->required()
      ->expected(1, 1 << 20)
      ->type_name("FILE...");
  command->add_option("--candidate", compare.candidate, "files to judge, in launch order")
      ->required()
      ->expected(1, 1 << 20)
      ->type_name("FILE...");
  command->add_option("--arm", compare.arm, "arm of a run.json that has several")
      ->type_name("NAME");
  command->add_option("--max-regression", compare.max_regression, "margin, with its unit")
      ->type_name("PERCENT")
      ->capture_default_str();
  command->add_option("--html", compare.html, "write a page for a browser to this file too")
      ->check(not_empty)
      ->type_name("FILE");
  command->add_flag("--quiet", compare.quiet, "print the verdict line alone");
}

void add_history(CLI::App& app, HistoryArguments& history) {
  CLI::App* command = app.add_subcommand(
      "history", "the gates of many runs over time: series, changed fingerprints, slow creep");
  command->add_option("folders", history.folders, "folders of runs or launches, or folders of such")
      ->required()
      ->expected(1, 1 << 20)
      ->check(not_empty)
      ->type_name("DIR...");
  command
      ->add_option("--anchor", history.anchor,
                   "one of the runs: creep counts from it on (default: the first of each series)")
      ->check(not_empty)
      ->type_name("RUN_DIR");
  command->add_option("--html", history.html, "write a page for a browser to this file too")
      ->check(not_empty)
      ->type_name("FILE");
  command->add_flag("--json", history.json, "print JSON instead");
  command->add_flag("--fail-on-creep", history.fail_on_creep,
                    "exit 10 where a creep is proven; without it history judges nothing");
}

}  // namespace traceml
