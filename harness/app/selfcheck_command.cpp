#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/app/commands.h"
#include "harness/app/data_check.h"
#include "harness/app/launch_folder.h"
#include "harness/app/launch_setup.h"
#include "harness/app/lost_launches.h"
#include "harness/app/noise_profile_use.h"
#include "harness/app/results_dir.h"
#include "harness/app/selfcheck_folder.h"
#include "harness/backends/local/child_process.h"
#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/equal_arms.h"
#include "harness/plan/gates.h"

namespace traceml {
namespace {

constexpr std::chrono::seconds kLockPatience{15};  // for the ranks of a check that was killed

Config config_to_check(const SelfcheckArguments& arguments) {
  Config config = read_config_file(arguments.launch.config, arguments.launch.overrides);
  if (config.measure.launch != 0 || !config.measure.equal_arms.empty()) {
    throw UsageError(
        "measure.launch and measure.equal_arms are set by traceml-bench selfcheck itself; leave "
        "them out");
  }
  return config;
}

SelfcheckRequest request_of(const SelfcheckArguments& arguments, const Config& config) {
  SelfcheckRequest request;
  request.created_utc = utc_now();
  request.config_hash = config_hash(config);
  request.arm = arguments.arm.empty() ? arm_to_check(config) : arguments.arm;
  request.plants = arguments.plants;
  request.effects = arguments.effects;
  request.seed = config.seed;
  request.runs = arguments.runs;
  request.launches = config.measure.launches;
  request.ranks = arguments.launch.ranks;
  return request;
}

// What every run would refuse is refused once, before a folder is made.
Plan check_before_runs(Config config, const SelfcheckRequest& request) {
  config.measure.equal_arms = request.arm;
  config.measure.equal_plants = request.plants;
  const Plan plan = make_plan(config, request.ranks);
  const RequireConfig& require = plan.config.require;
  if (require.ranks.value_or(request.ranks) != request.ranks) {
    throw RunError(fmt::format("require.ranks is {}, but runs of {} were asked for; give -n {}",
                               *require.ranks, request.ranks, *require.ranks));
  }
  list_data_sets(plan, request.ranks);
  return plan;
}

// Runs that are there go with those that are asked for now, or they are refused.
void require_same_check(const std::string& out, const SelfcheckRequest& there,
                        const SelfcheckRequest& here) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(
        fmt::format("{} holds a self-check of another {}; choose another --out", out, what));
  };
  if (there.config_hash != here.config_hash || there.launches != here.launches) refuse("config");
  if (there.arm != here.arm) refuse(fmt::format("arm ({})", there.arm));
  if (there.plants != here.plants) refuse("set of planted slowdowns");
  if (there.ranks != here.ranks) refuse(fmt::format("number of ranks ({})", there.ranks));
  if (there.seed != here.seed) refuse("seed");
}

std::string make_folder(const std::string& wanted, const std::string& name) {
  if (!wanted.empty() && is_selfcheck_folder(wanted)) return wanted;
  return make_results_dir(wanted, name + "-selfcheck", utc_now(), "runs");
}

class EqualRuns {
 public:
  EqualRuns(const LaunchArguments& arguments, std::string out, const Plan& plan,
            const SelfcheckRequest& request)
      : arguments_(arguments),
        out_(std::move(out)),
        plan_(plan),
        request_(request),
        setup_(setup_of(arguments, 1)) {
    std::erase_if(setup_.overrides,
                  [](const std::string& text) { return text.starts_with("seed="); });
    setup_.overrides.push_back("measure.equal_arms=" + request.arm);
    Config view;
    view.measure.equal_plants = request.plants;
    if (!request.plants.empty()) {
      setup_.overrides.push_back("measure.equal_plants=" + text_of(view, "measure.equal_plants"));
    }
  }

  void run() {
    const int finished = finished_equal_runs(out_, request_);
    if (finished > 0) say(fmt::format("{} finished runs in {} are counted\n", finished, out_));
    if (finished > request_.runs) {
      throw UsageError(fmt::format("{} holds {} runs; all of them count: give --runs {}", out_,
                                   finished, finished));
    }
    for (int number = finished + 1; number <= request_.runs; ++number) run_one(number);
  }

 private:
  void say(const std::string& text) const {
    if (arguments_.quiet) return;
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }

  // A run that is one launch is started as `launch` starts them; one of several is a `launch`,
  // which goes on with what it finds.
  std::vector<std::string> words_of(int number, const std::string& dir) const {
    LaunchSetup setup = setup_;
    setup.overrides.push_back(fmt::format("seed={}", seed_of_equal_run(request_.seed, number)));
    if (request_.launches == 1) {
      setup.overrides.emplace_back("measure.launches=1");
      std::vector<std::string> words = command_of_run(setup, dir);
      add_scratch(&words);
      return words;
    }
    const std::vector<std::string> overrides = setup.overrides;
    std::vector<std::string> words = {setup.binary,
                                      "launch",
                                      setup.config,
                                      "--out",
                                      dir,
                                      "-n",
                                      std::to_string(request_.ranks),
                                      "--launches",
                                      std::to_string(request_.launches)};
    for (const std::string& text : overrides) words.insert(words.end(), {"--set", text});
    if (!arguments_.launcher.empty())
      words.insert(words.end(), {"--launcher", arguments_.launcher});
    if (!arguments_.launcher_arguments.empty()) {
      words.push_back("--mpirun-args=" + arguments_.launcher_arguments);
    }
    add_scratch(&words);
    return words;
  }

  void add_scratch(std::vector<std::string>* words) const {
    if (arguments_.scratch.empty()) return;
    words->insert(words->end(), {"--scratch", arguments_.scratch});
  }

  void run_one(int number) {
    const std::string dir = dir_of_equal_run(out_, number);
    if (request_.launches == 1 && std::filesystem::exists(dir)) {
      say(fmt::format("an unfinished run was set aside: runs/{}\n", set_launch_aside(dir)));
    }
    ProcessRequest request;
    request.argv = words_of(number, dir);
    request.output_file = request.error_file = dir + ".log";
    request.time_limit = std::chrono::duration_cast<Nanos>(limit_of_launch(plan_.config.measure) *
                                                           request_.launches);
    say(fmt::format("run {} of {} ... ", number, request_.runs));
    const ProcessResult result = runner_.run(request);
    const Starter starter = request_.launches > 1 ? Starter::kDirect : setup_.starter;
    const auto failure = failure_of_launch(request, result, starter);
    if (!failure) {
      say(fmt::format("{:.1f} s\n", Seconds(result.wall).count()));
      return;
    }
    say(stop_.received() ? "stopped\n" : "failed\n");
    if (failure->code == ExitCode::kUsage) throw UsageError(failure->cause);
    std::string cause = result.end == ProcessEnd::kTimedOut ? "" : sentence_left_in(dir);
    if (cause.empty()) cause = failure->cause;
    if (request_.launches == 1 && !read_if_finished(dir, true)) record_failure(dir, cause);
    throw RunError(
        fmt::format("run {} failed: {}; its log is {}.log; repeat the command with --out "
                    "{} to go on",
                    number, cause, dir, out_));
  }

  const LaunchArguments& arguments_;
  std::string out_;
  const Plan& plan_;
  const SelfcheckRequest& request_;
  LaunchSetup setup_;
  StopSignals stop_;
  LocalProcessRunner runner_{&stop_};
};

}  // namespace

int selfcheck_command(const SelfcheckArguments& arguments) {
  require_no_starter("selfcheck");
  const Config config = config_to_check(arguments);
  Config with_profile = config;
  use_noise_profile(&with_profile);  // refuses that of another config before anything is run
  SelfcheckRequest request = request_of(arguments, config);
  const Plan plan = check_before_runs(config, request);
  const std::string out = make_folder(arguments.launch.out, config.name);
  const LaunchFolderLock lock(out, kLockPatience, "runs");
  const std::string file = selfcheck_request_file(out);
  if (std::filesystem::exists(file)) {
    const SelfcheckRequest there = read_selfcheck_request(file);
    require_same_check(out, there, request);
    request.created_utc = there.created_utc;
  }
  write_selfcheck_request(file, request);
  EqualRuns(arguments.launch, out, plan, request).run();
  const SelfcheckReport report = read_selfcheck(out);
  publish_selfcheck(out, report, arguments.launch.quiet);
  return exit_code_of(report);
}

}  // namespace traceml
