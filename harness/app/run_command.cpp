#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "harness/app/commands.h"
#include "harness/app/commit.h"
#include "harness/app/data_check.h"
#include "harness/app/environment_probe.h"
#include "harness/app/finished_run.h"
#include "harness/app/progress_line.h"
#include "harness/app/ranks.h"
#include "harness/app/results_dir.h"
#include "harness/app/run_commands.h"
#include "harness/app/run_identity.h"
#include "harness/app/signal_watch.h"
#include "harness/app/version.h"
#include "harness/app/workload_choice.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/codec/config_file.h"
#include "harness/plan/config.h"
#include "harness/plan/plan.h"
#include "harness/runner/agreement.h"
#include "harness/runner/rank_program.h"
#include "harness/runner/run_watch.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

void check_requirements(const Config& config, int world_size) {
  if (config.require.ranks && *config.require.ranks != world_size) {
    throw RunError(
        fmt::format("require.ranks is {}, but this run has {}; start it with mpirun -n {}",
                    *config.require.ranks, world_size, *config.require.ranks));
  }
  if (config.require.device == Device::kCuda) {
    throw RunError("require.device is cuda, but this binary trains on the CPU alone");
  }
}

Plan read_plan(const RunArguments& arguments, int world_size) {
  const Config config = read_config_file(arguments.config, arguments.overrides);
  if (arguments.require_gates && config.gates.empty()) {
    throw UsageError(
        fmt::format("{} has no gates and --require-gates was given", arguments.config));
  }
  if (config.measure.launches > 1 && config.measure.launch == 0) {
    throw UsageError(
        fmt::format("measure.launches is {}: start it with traceml-bench launch {} -n {}",
                    config.measure.launches, arguments.config, world_size));
  }
  check_requirements(config, world_size);
  return make_plan(config, world_size);
}

// Collective: what distorts times on any rank, on every rank.
std::vector<std::string> distortions_of_all_ranks(Transport& transport) {
  std::string all;
  for (const std::string& one : distinct_lines(transport, probe_distortions())) all += one + "\n";
  std::istringstream lines(transport.broadcast(all));
  std::set<std::string> distinct;
  for (std::string line; std::getline(lines, line);) distinct.insert(line);
  return {distinct.begin(), distinct.end()};
}

// At once or not at all: the launcher may be about to kill this process, and the disk may be what
// failed. The sentence has been printed.
void leave_sentence(const std::string& file, const std::string& sentence) {
  const std::string temporary = file + ".tmp";
  std::error_code error;
  if (std::ofstream(temporary) << sentence << std::endl) {
    std::filesystem::rename(temporary, file, error);
  } else {
    std::filesystem::remove(temporary, error);
  }
}

// What becomes of a run that fails: the windows that were stored are kept, a folder without any is
// taken back.
FailureActs acts_of(const std::string& dir, Rank rank, bool keep_folder) {
  FailureActs acts;
  acts.what_is_left = [dir](bool stored) {
    return stored ? "finished windows are kept: traceml-bench report " + dir
                  : std::string("no window was finished");
  };
  acts.after_words = [dir, rank, keep_folder](const std::string& sentence, bool stored) {
    if (!stored) {
      discard_results_dir(dir, keep_folder);
      return;
    }
    leave_sentence(failure_file(dir + "/raw", rank), sentence);
  };
  return acts;
}

// Collective. Rank 0 makes the folder; a rank that does not see it (no shared file system) makes
// its own of that name.
std::string agree_on_results_dir(Transport& transport, RunWatch& watch,
                                 const RunArguments& arguments, const std::string& name,
                                 const std::string& created) {
  const bool root = transport.rank() == Rank{0};
  std::string there_before;  // of rank 0, which makes it
  std::string dir = together(transport, [&] {
    if (!root) return std::string();
    if (!arguments.out.empty() && std::filesystem::exists(arguments.out)) there_before = "yes";
    return make_results_dir(arguments.out, name, created);
  });
  dir = transport.broadcast(dir);
  const bool keep_folder = !transport.broadcast(there_before).empty();
  watch.set_acts(acts_of(dir, transport.rank(), keep_folder));
  together(transport, [&] {
    std::error_code error;
    std::filesystem::create_directories(dir + "/raw", error);
    if (error) throw RunError(fmt::format("cannot make {}/raw: {}", dir, error.message()));
    return true;
  });
  return dir;
}

RunInfo describe_run(Ranks& ranks, const Plan& plan, const std::string& created) {
  RunInfo info;
  info.tool_version = kToolVersion;
  info.created_utc = simulated_start(plan).value_or(created);
  info.config_text = write_config(plan.config);
  info.world_size = ranks.transport().world_size();
  info.device = device_of(plan);
  info.exchange = exchange_of(plan, ranks);
  info.environment = probe_environment();
  if (const auto version = ranks.mpi_version()) info.environment.facts["mpi"] = *version;
  if (const auto torch = torch_facts()) {
    info.environment.facts["libtorch"] = torch->version;
    info.environment.facts["libtorch_cpu"] = torch->cpu_capability;
  }
  info.environment.facts["ranks_on_node"] = std::to_string(ranks.ranks_on_node());
  info.distortions = plan.facts.distortions;
  for (const std::string& warning :
       distinct_lines(ranks.transport(), {ranks.affinity_warning().value_or("")})) {
    info.notes.push_back(warning);
  }
  return info;
}

RankOptions options_of(const std::string& dir, ProgressSink* progress) {
  const std::string raw = dir + "/raw";
  RankOptions options;
  options.build = fmt::format("{} at {}, {}, {}", kToolVersion, kCommit, kCompiler, kBuildType);
  options.own_raw_dir = raw;
  options.out_raw_dir = raw;
  options.progress = progress;
  return options;
}

void take_over(const RunOutcome& outcome, RunInfo& info) {
  info.facts = outcome.facts;
  info.counters = outcome.counters;
  info.equal_by_design = outcome.equal_by_design;
  info.notes.insert(info.notes.end(), outcome.notes.begin(), outcome.notes.end());
  info.finished = outcome.finished;
  info.failure = outcome.failure;
}

// Rank 0: judges what lies in the raw files, writes and prints the reports.
int judge_and_report(const std::string& dir, const RunInfo& info, bool quiet) {
  write_run_info(dir + "/raw/run_info.json", info);
  const FinishedRun run = read_finished_run(dir, false);
  publish(dir, run, quiet);
  return run.summary.exit_code;
}

// Collective.
int run_on(Ranks& ranks, RunWatch& watch, HostClock& clock, const RunArguments& arguments) {
  Transport& transport = ranks.transport();
  const std::string created = transport.broadcast(utc_now());
  Plan plan = together(transport, [&] { return read_plan(arguments, transport.world_size()); });
  if (plan.facts.commands) return run_commands(arguments, plan.config);  // one rank all the same
  watch.set_step_timeout(plan.config.measure.step_timeout);
  watch.set_time_limit(plan.config.measure.time_limit);
  plan.facts.distortions = distortions_of_all_ranks(transport);
  DataSets listed = together(transport, [&] {
    check_loader_memory(plan, ranks.ranks_on_node());
    return list_data_sets(plan, transport.world_size());
  });
  const std::string dir =
      agree_on_results_dir(transport, watch, arguments, plan.config.name, created);
  RunInfo info = describe_run(ranks, plan, created);
  info.run = agree_on_run_id(transport, plan);
  if (ranks.is_root()) write_run_info(dir + "/raw/run_info.json", info);

  RunOutcome outcome;
  {
    const auto chosen = choose_workload(plan, ranks, clock, std::move(listed));
    std::unique_ptr<ProgressLine> progress;
    if (ranks.is_root() && !arguments.quiet) progress = std::make_unique<ProgressLine>();
    RankOptions options = options_of(dir, progress.get());
    options.run = info.run;
    options.wall = &clock;
    options.min_device_warm_up = Seconds{0};  // no device of this version has clocks to ramp up
    outcome = run_rank(plan, options, watch, chosen->workload(), chosen->transport(),
                       chosen->clock(), chosen->device());
  }
  watch.position().enter(Stage::kReport);
  take_over(outcome, info);
  const int code = together(transport, [&] {
    return ranks.is_root() ? judge_and_report(dir, info, arguments.quiet) : 0;
  });
  return std::stoi(transport.broadcast(std::to_string(code)));
}

// Returns the code of a run that ended in good order; other failures end the process.
int run_watched(Ranks& ranks, RunWatch& watch, HostClock& clock, const RunArguments& arguments) {
  try {
    return run_on(ranks, watch, clock, arguments);
  } catch (const AgreedError& error) {
    if (ranks.is_root()) watch.tell(fmt::format("traceml-bench: {}", error.what()));
    return value_of(error.code());
  } catch (const Error& error) {
    watch.fail(error.what(), error.code());
  } catch (const std::exception& error) {
    watch.fail(error.what(), ExitCode::kRunFailed);
  }
}

// A reader of our output that leaves and a limit on file sizes are errors that we tell of, not
// deaths.
void turn_signals_into_errors() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int run_command(const RunArguments& arguments) {
  if (const auto commands = commands_to_run(arguments)) return run_commands(arguments, *commands);
  constexpr Seconds kStart{120};
  constexpr Seconds kEnd{15};
  turn_signals_into_errors();
  SignalWatch signals;  // before the threads of MPI
  signals.expect_within(
      kStart, fmt::format("not all ranks have joined within {:g} s; is one stopped, or started "
                          "with another MPI?",
                          kStart.count()));
  SteadyHostClock clock;
  Ranks ranks(clock);
  signals.expect_nothing();
  int code = value_of(ExitCode::kPass);
  {
    RunWatch watch(ranks.transport(), ranks.roll());
    signals.on_signal([&watch](int signal) { watch.interrupted(signal); });
    code = run_watched(ranks, watch, clock, arguments);
    signals.on_signal({});
  }
  signals.expect_within(kEnd, fmt::format("the run has ended, with code {}, but a rank has not "
                                          "left it within {:g} s",
                                          code, kEnd.count()));
  ranks.finalize();
  return code;
}

}  // namespace traceml
