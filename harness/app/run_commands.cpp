#include "harness/app/run_commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <sstream>

#include "harness/app/command_launcher.h"
#include "harness/app/environment_probe.h"
#include "harness/app/finished_run.h"
#include "harness/app/progress_line.h"
#include "harness/app/results_dir.h"
#include "harness/app/run_history.h"
#include "harness/app/run_identity.h"
#include "harness/app/version.h"
#include "harness/backends/local/child_process.h"
#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/stop_signals.h"
#include "harness/backends/mpi/launch_environment.h"
#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/core/error_line.h"
#include "harness/plan/arms.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/gates.h"

namespace traceml {
namespace {

Plan plan_of(const RunArguments& arguments, const Config& config) {
  if (arguments.require_gates) require_gates(config, arguments.config);
  if (config.require.ranks.value_or(1) != 1) {
    throw RunError(fmt::format("require.ranks is {}, but commands are launched by one process",
                               *config.require.ranks));
  }
  Plan plan = make_plan(config, 1);
  check_programs(plan.config);
  plan.facts.distortions = probe_distortions();
  for (std::string& one : distortions_of_commands(plan.config)) {
    plan.facts.distortions.push_back(std::move(one));
  }
  return plan;
}

RunInfo describe_run(const Plan& plan, const std::string& created) {
  RunInfo info;
  SingleTransport alone;
  info.run = agree_on_run_id(alone, plan);
  info.tool_version = kToolVersion;
  info.created_utc = created;
  info.config_text = write_config(plan.config);
  info.device = "unknown";  // that of the commands
  info.environment = probe_environment();
  info.distortions = plan.facts.distortions;
  return info;
}

void print_last_lines(const std::string& place, const std::string& text) {
  print_error_line("last lines of " + place + ":");
  std::istringstream lines(text.empty() ? "(it wrote nothing)" : text);
  for (std::string line; std::getline(lines, line);) print_error_line("  " + line);
}

}  // namespace

std::optional<Config> commands_to_run(const RunArguments& arguments) {
  // The tasks of a Slurm job that launched none of them are no ranks.
  const auto launched = launched_rank(process_environment);
  if (launched && launched->world_size > 1) return std::nullopt;
  try {
    Config config = read_config_file(arguments.config, arguments.overrides);
    if (runs_commands(config)) return config;
  } catch (const Error&) {  // every rank reads it again and agrees on the fault
  }
  return std::nullopt;
}

int run_commands(const RunArguments& arguments, const Config& config) {
  const Plan plan = plan_of(arguments, config);
  StopSignals stop;
  const std::string created = utc_now();
  const std::string dir = make_results_dir(arguments.out, plan.config.name, created);
  RunInfo info = describe_run(plan, created);
  info.inconclusive_before = inconclusive_before(dir, plan.config.name, plan.facts);
  write_run_info(dir + "/raw/run_info.json", info);

  SteadyHostClock clock;
  LocalProcessRunner runner(&stop);
  CommandLauncher launcher(plan, dir, runner);
  {
    CommandFile file(dir + "/raw", info.run, arm_names(plan.facts));
    std::unique_ptr<ProgressLine> progress;
    if (!arguments.quiet) progress = std::make_unique<ProgressLine>();
    const CommandOutcome outcome =
        run_command_campaign(plan, launcher, file, clock, progress.get());
    progress.reset();
    info.finished = outcome.finished;
    info.failure = outcome.failure;
    if (outcome.log_of_failure) print_last_lines(*outcome.log_of_failure, launcher.last_lines());
  }
  write_run_info(dir + "/raw/run_info.json", info);
  const FinishedRun run = read_finished_run(dir, false);
  publish(dir, run, arguments.quiet);
  return run.summary.exit_code;
}

}  // namespace traceml
