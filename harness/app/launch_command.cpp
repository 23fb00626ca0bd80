#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include "harness/analysis/gate_replay.h"
#include "harness/analysis/launch_pool.h"
#include "harness/app/commands.h"
#include "harness/app/data_check.h"
#include "harness/app/environment_probe.h"
#include "harness/app/launch_folder.h"
#include "harness/app/launch_setup.h"
#include "harness/app/lost_launches.h"
#include "harness/app/noise_profile_use.h"
#include "harness/app/pooled_launches.h"
#include "harness/app/results_dir.h"
#include "harness/app/stored_gates.h"
#include "harness/app/two_binaries.h"
#include "harness/backends/local/child_process.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/baseline_snapshot.h"
#include "harness/codec/config_file.h"
#include "harness/codec/gate_figures.h"
#include "harness/codec/hosts_file.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/gates.h"
#include "harness/runner/launcher.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualLaunches = 6;
constexpr const char* kAfterLimit =
    "a launch is not measured again because of how long it took: give a longer limit, and another "
    "--out";

// As launch `number` of this campaign would describe itself.
RunInfo description_of(const Config& config, int ranks) {
  RunInfo info;
  info.config_text = write_config(config);
  info.world_size = ranks;
  info.environment = probe_environment();
  return info;
}

std::string make_folder(const LaunchArguments& arguments, const std::string& name) {
  const std::string& out = arguments.out;
  if (out.empty()) return make_results_dir("", name, utc_now(), "launches");
  if (!is_launch_folder(out)) return make_results_dir(out, name, utc_now(), "launches");
  return out;
}

class Launches {
 public:
  Launches(const LaunchArguments& arguments, std::string out, const Plan& plan)
      : arguments_(arguments),
        out_(std::move(out)),
        plan_(plan),
        runner_(&stop_),
        setup_(setup_of(arguments, plan.facts.launches)) {
    if (arguments.scratch.empty()) return;
    // What an interrupted launch left there is in nobody's way.
    std::string stamp = utc_now();
    std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
    scratch_ =
        (fs::path(arguments.scratch) / fmt::format("launches-{}-{}", stamp, ::getpid())).string();
  }

  ~Launches() {
    std::error_code ignored;
    if (!scratch_.empty()) fs::remove(scratch_, ignored);  // where it is empty
  }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  // Until every gate has its verdict or all launches are finished.
  PooledLaunches run() {
    count_finished();
    while (true) {
      const int count = static_cast<int>(finished_launches(out_, false).size());
      if (is_look(count)) {
        PooledLaunches pooled = read_launches(out_, false);
        if (has_ended(pooled)) return pooled;
      }
      launch(count + 1, count);
    }
  }

 private:
  bool is_look(int finished) const {
    const std::vector<int> looks = looks_of(facts_over_launches(plan_.facts));
    return finished >= looks.back() ||
           std::find(looks.begin(), looks.end(), finished) != looks.end();
  }

  void count_finished() {
    const std::vector<FinishedLaunch> finished = finished_launches(out_, false);
    if (!finished.empty()) {
      const RunInfo& there = finished.back().info;
      require_same_campaign(out_, there, description_of(plan_.config, arguments_.ranks));
      const int planned = read_config_text(there.config_text, out_, {}).measure.launches;
      if (planned > plan_.facts.launches) {
        throw UsageError(fmt::format("{} was begun with at most {} launches; give --launches {}",
                                     out_, planned, planned));
      }
      if (std::ssize(finished) > planned && plan_.facts.launches != planned) {
        throw UsageError(fmt::format("{} measures {} launches again; give --launches {}", out_,
                                     planned, planned));
      }
      say(fmt::format("{} finished launches in {} are counted\n", finished.size(), out_));
    }
    if (const auto late = timed_out_launch(lost_launches(out_))) {
      throw RunError(fmt::format("the campaign in {} has ended, since {}; {}", out_,
                                 describe_timed_out(*late), kAfterLimit));
    }
    for (const std::string& name : set_unfinished_aside(out_)) {
      say(fmt::format("an unfinished launch was set aside: launches/{}\n", name));
    }
  }

  void say(const std::string& text) const {
    if (arguments_.quiet) return;
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }

  void launch(int number, int finished) {
    const std::string dir = dir_of_launch(out_, number);
    ProcessRequest request;
    request.argv = command_of_launch(setup_, number, dir);
    if (!scratch_.empty()) {
      request.argv.insert(request.argv.end(), {"--scratch", scratch_});
    }
    request.output_file = request.error_file = dir + ".log";
    request.time_limit = std::chrono::duration_cast<Nanos>(limit_of_launch(plan_.config.measure));
    const int planned = plan_.facts.launches;
    say(number <= planned ? fmt::format("launch {} of at most {} ... ", number, planned)
                          : fmt::format("a gate failed; launch {} of {} that measure it again ... ",
                                        number - planned, planned));
    ProcessResult result = runner_.run(request);
    const auto failure = failure_of_launch(request, result, setup_.starter);
    if (failure && stop_.received()) {  // it may have come to the launch first
      result.end = ProcessEnd::kStopped;
      result.signal = *stop_.received();
      say("stopped\n");
      throw RunError(fmt::format("{} in launch {}; {}", describe_end(request, result).substr(4),
                                 number, kept(finished)));
    }
    if (failure) {
      say("failed\n");
      throw_failure(*failure, result, number, finished);
    }
    say(fmt::format("{:.1f} s{}\n", Seconds(result.wall).count(), figures_of(dir)));
  }

  std::string kept(int finished) const {
    if (finished == 0) return "no launch is finished yet";
    return fmt::format("{} finished launch{} kept: repeat the command with --out {} to go on",
                       finished, finished == 1 ? " is" : "es are", out_);
  }

  [[noreturn]] void throw_failure(const LaunchFailure& failure, const ProcessResult& result,
                                  int number, int finished) const {
    const std::string dir = dir_of_launch(out_, number);
    // A fault of command line or config is none of this launch, which did not begin.
    if (failure.code == ExitCode::kUsage) {
      std::error_code ignored;
      if (!fs::exists(dir)) fs::remove(dir + ".log", ignored);
      throw UsageError(failure.cause);
    }
    std::string cause = result.end == ProcessEnd::kTimedOut ? "" : sentence_left_in(dir);
    if (cause.empty()) cause = failure.cause;
    const bool counts = std::ssize(finished_launches(out_, false)) >= number;  // it failed later
    if (!counts) record_failure(dir, cause);
    const bool for_good = !counts && tells_of_a_limit(cause);
    throw RunError(fmt::format("launch {} failed: {}; its log is {}.log; {}", number, cause, dir,
                               for_good ? kAfterLimit : kept(finished + (counts ? 1 : 0))));
  }

  // Reads what the launch left, which must be whole.
  std::string figures_of(const std::string& dir) const {
    const FinishedRun run = read_finished_run(dir, false);
    if (ended_early(run.info)) {
      throw RunError(
          fmt::format("{} says that it did not finish, and ended as if it had; its log "
                      "is {}.log",
                      dir, dir));
    }
    std::string text;
    for (const GateResult& gate : run.summary.gates) {
      if (!gate.theta) continue;
      text += fmt::format(", {} {:+.2f} %", gate.spec.name, std::expm1(*gate.theta) * 100);
    }
    return text;
  }

  const LaunchArguments& arguments_;
  std::string out_;
  const Plan& plan_;
  StopSignals stop_;
  LocalProcessRunner runner_;
  LaunchSetup setup_;
  std::string scratch_;  // of this campaign; empty: none
};

Config read_config_of(const LaunchArguments& arguments) {
  Config config = read_config_file(arguments.config, arguments.overrides);
  if (runs_commands(config)) {
    throw UsageError(
        fmt::format("the arms of {0} are commands, which are launched anyway; run it with "
                    "traceml-bench {0}",
                    arguments.config));
  }
  if (arguments.launches) {
    std::vector<std::string> overrides = arguments.overrides;
    overrides.push_back(fmt::format("measure.launches={}", *arguments.launches));
    config = read_config_file(arguments.config, overrides);
  }
  if (config.measure.launches <= 1) config.measure.launches = kUsualLaunches;
  if (config.measure.launch != 0) {
    throw UsageError("measure.launch names one launch; traceml-bench launch sets it itself");
  }
  if (arguments.require_gates) require_gates(config, arguments.config);
  use_noise_profile(&config);
  return config;
}

// What every launch would refuse is refused once, before a folder is made.
void check_before_launches(const Plan& plan, int ranks) {
  const RequireConfig& require = plan.config.require;
  if (require.ranks.value_or(ranks) != ranks) {
    throw RunError(fmt::format("require.ranks is {}, but launches of {} were asked for; give -n {}",
                               *require.ranks, ranks, *require.ranks));
  }
  list_data_sets(plan, ranks);
}

// What is pinned when a campaign begins is what it is held against to its end. Answers what the
// stored gates can see.
std::string keep_baselines(const Plan& plan, const std::string& out,
                           const std::map<std::string, PinnedBaseline>& pinned) {
  if (plan.facts.stored_gates.empty()) return "";
  const std::string file = baselines_file(out);
  if (finished_launches(out, false).empty()) write_baselines(file, pinned);
  return stored_power_text(plan, read_baselines(file));
}

}  // namespace

int launch_command(const LaunchArguments& arguments) {
  require_no_starter("launch");
  const Plan plan = make_plan(read_config_of(arguments), arguments.ranks);
  if (!arguments.candidate_binary.empty()) return judge_binaries(arguments, plan);
  check_before_launches(plan, arguments.ranks);
  const std::map<std::string, PinnedBaseline> pinned = read_pinned(plan);
  const std::string out = make_folder(arguments, plan.config.name);
  const LaunchFolderLock lock(out);
  remove_temporaries(out);
  const std::string power = keep_baselines(plan, out, pinned);
  if (!arguments.quiet) std::fputs(power.c_str(), stderr);
  const PooledLaunches launches = Launches(arguments, out, plan).run();
  if (!launches.places.hosts.empty()) {
    write_hosts(hosts_file(out),
                {launches.info.nodes, launches.places.hosts, launches.places.gpus});
  }
  const FinishedRun run = judge_launches(launches);
  publish(out, run, arguments.quiet);
  const std::string add = baseline_add_text(run.summary, store_paths(plan.config), out);
  if (!arguments.quiet) std::fputs(add.c_str(), stdout);
  return run.summary.exit_code;
}

}  // namespace traceml
