#include "harness/app/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "harness/app/campaign_record.h"
#include "harness/app/commit.h"
#include "harness/app/data_check.h"
#include "harness/app/environment_probe.h"
#include "harness/app/finished_run.h"
#include "harness/app/noise_profile_use.h"
#include "harness/app/progress_line.h"
#include "harness/app/results_dir.h"
#include "harness/app/run_folders.h"
#include "harness/app/run_history.h"
#include "harness/app/run_identity.h"
#include "harness/app/version.h"
#include "harness/app/workload_choice.h"
#include "harness/codec/config_file.h"
#include "harness/codec/hosts_file.h"
#include "harness/plan/config.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/gates.h"
#include "harness/plan/plan.h"
#include "harness/runner/agreement.h"
#include "harness/runner/allowed_cores.h"
#include "harness/runner/rank_cores.h"
#include "harness/runner/rank_program.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

void check_requirements(const Config& config, int world_size) {
  if (config.require.ranks && *config.require.ranks != world_size) {
    throw RunError(
        fmt::format("require.ranks is {}, but this run has {}; start it with mpirun -n {}",
                    *config.require.ranks, world_size, *config.require.ranks));
  }
}

void check_device(const Config& config, const GpuChoice& choice) {
  if (config.require.device == Device::kCuda && !choice.gpu) {
    throw RunError("require.device is cuda, but this run is not on a GPU: " +
                   choice.note.value_or(cuda_built() ? "workload.device says so"
                                                     : "this binary trains on the CPU alone"));
  }
}

struct PlanAndProfile {
  Plan plan;
  std::optional<NoiseProfile> profile;  // the config names it
};

PlanAndProfile read_plan(const RunArguments& arguments, int world_size) {
  Config config = read_config_file(arguments.config, arguments.overrides);
  if (arguments.require_gates) require_gates(config, arguments.config);
  if (config.measure.launches > 1 && config.measure.launch == 0) {
    throw UsageError(
        fmt::format("measure.launches is {}: start it with traceml-bench launch {} -n {}",
                    config.measure.launches, arguments.config, world_size));
  }
  check_requirements(config, world_size);
  std::optional<NoiseProfile> profile = use_noise_profile(&config);
  return {make_plan(config, world_size), std::move(profile)};
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

// Collective. The node of each rank, on rank 0, where hosts.json then tells which machines and GPUs
// they are.
std::vector<int> name_nodes(Transport& transport, const GpuChoice& choice, const std::string& dir) {
  const std::vector<std::string> hosts = transport.gather(host_name());
  const std::vector<std::string> gpus = transport.gather(choice.gpu ? name_of(*choice.gpu) : "");
  return together(transport, [&]() -> std::vector<int> {
    if (transport.rank() != Rank{0}) return {};
    Nodes nodes = number_nodes(hosts);
    if (choice.gpu) nodes.gpus = gpus;
    write_hosts(hosts_file(dir), nodes);
    return nodes.of_rank;
  });
}

// "tf32", or of arms that differ "bf16 and tf32".
std::string precisions_of(const Plan& plan) {
  std::set<std::string> distinct;
  for (const ArmConfig& arm : plan.config.arms) {
    distinct.insert(text_of(seen_by(plan.config, arm), "workload.precision"));
  }
  return fmt::format("{}", fmt::join(distinct, " and "));
}

RunInfo describe_run(Ranks& ranks, const Plan& plan, const GpuChoice& choice,
                     const std::string& created) {
  RunInfo info;
  info.tool_version = kToolVersion;
  info.created_utc = simulated_start(plan).value_or(created);
  info.config_text = write_config(plan.config);
  info.world_size = ranks.transport().world_size();
  info.device = device_of(plan, choice);
  info.exchange = exchange_of(plan, ranks);
  info.environment = probe_environment();
  if (const auto version = ranks.mpi_version()) info.environment.facts["mpi"] = *version;
  if (const auto torch = torch_facts()) {
    info.environment.facts["libtorch"] = torch->version;
    info.environment.facts["libtorch_cpu"] = torch->cpu_capability;
  }
  if (!plan.config.arms.front().workload.spins()) {
    info.environment.facts["precision"] = precisions_of(plan);
  }
  info.environment.facts["cores_per_rank"] = std::to_string(
      share_of_cores(gather_cores(ranks.transport()), ranks.transport().rank()).size());
  info.environment.facts["ranks_on_node"] = std::to_string(ranks.ranks_on_node());
  if (choice.gpu) add_gpu_facts(*choice.gpu, ranks.transport(), info.environment.facts);
  if (choice.note) info.notes.push_back(*choice.note);
  info.distortions = plan.facts.distortions;
  for (const std::string& warning :
       distinct_lines(ranks.transport(), {ranks.affinity_warning().value_or("")})) {
    info.notes.push_back(warning);
  }
  return info;
}

// Collective. A profile of another machine is refused before anything is made.
void check_machine(Ranks& ranks, const Plan& plan, const GpuChoice& choice,
                   const NoiseProfile& profile) {
  const RunInfo info = describe_run(ranks, plan, choice, "");
  together(ranks.transport(), [&] {
    require_same_machine(profile, plan.config.measure.noise_profile, machine_of({info}));
    return 0;
  });
}

// Collective. What is to be told of it.
std::string keep_to_own_cores(Transport& transport) {
  const int all = allowed_core_count();
  const std::size_t own =
      together(transport, [&] { return keep_to_share_of_cores(transport); }).size();
  return fmt::format(
      "each rank keeps to its share of the cores (workload.cores): rank 0 to {} of {}", own, all);
}

// Collective. What the run itself took of the machine: "812 MiB", the largest of all ranks (nothing
// where a kernel does not say), and "12 ms".
void add_costs(Transport& transport, const RunOutcome& outcome, RunInfo& info) {
  info.facts["raw_files_gathered_in"] = fmt::format("{:.0f} ms", Millis(outcome.gathering).count());
  std::int64_t largest = 0;
  for (const std::string& own : transport.gather(std::to_string(peak_memory().value_or(0)))) {
    largest = std::max<std::int64_t>(largest, std::stoll(own));
  }
  if (largest == 0) return;
  info.facts["host_memory_peak"] = fmt::format("{} MiB", (largest + (1 << 19)) >> 20);
}

RankOptions options_of(const RunFolders& folders, ProgressSink* progress) {
  RankOptions options;
  options.build = fmt::format("{} at {}, {}, {}", kToolVersion, kCommit, kCompiler, kBuildType);
  options.own_raw_dir = folders.of_raw() + "/raw";
  options.out_raw_dir = folders.results + "/raw";
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

}  // namespace

int run_session(Ranks& ranks, RunWatch& watch, HostClock& clock, const RunArguments& arguments) {
  Transport& transport = ranks.transport();
  const std::string created = transport.broadcast(utc_now());
  auto read = together(transport, [&] { return read_plan(arguments, transport.world_size()); });
  Plan& plan = read.plan;
  watch.set_step_timeout(plan.config.measure.step_timeout);
  watch.set_time_limit(plan.config.measure.time_limit);
  const GpuChoice choice = choose_gpu(plan, transport, ranks.rank_on_node());
  check_device(plan.config, choice);
  plan.facts.distortions = distortions_of_all_ranks(transport);
  DataSets listed = together(transport, [&] {
    check_loader_memory(plan, ranks.ranks_on_node());
    return list_data_sets(plan, transport.world_size());
  });
  if (read.profile) check_machine(ranks, plan, choice, *read.profile);
  const RunFolders folders =
      agree_on_folders(transport, watch, arguments, plan.config.name, created);
  const std::string& dir = folders.results;
  if (choice.gpu) {
    ranks.exchange_on_gpu(choice.gpu->index, choice.over_host, bucket_records_needed(plan));
  }
  // Only now: it runs on other threads, and the collective has just been changed.
  watch.set_abort([&ranks] { ranks.collective().abort(); });
  RunInfo info = describe_run(ranks, plan, choice, created);
  info.nodes = name_nodes(transport, choice, dir);
  info.run = agree_on_run_id(transport, plan);
  if (ranks.is_root()) {
    info.inconclusive_before = inconclusive_before(dir, plan.config.name, plan.facts);
  }
  if (plan.config.arms.front().workload.cores == Cores::kShare && !simulated_start(plan)) {
    info.notes.push_back(keep_to_own_cores(transport));
  }
  if (ranks.is_root()) write_run_info(dir + "/raw/run_info.json", info);

  RunOutcome outcome;
  {
    const auto chosen = choose_workload(plan, ranks, clock, choice, std::move(listed));
    std::unique_ptr<ProgressLine> progress;
    if (ranks.is_root() && !arguments.quiet) progress = std::make_unique<ProgressLine>();
    RankOptions options = options_of(folders, progress.get());
    options.run = info.run;
    options.wall = &clock;
    options.trace_dir = dir + "/trace";
    options.activities = chosen->activities();
    // Clocks of real devices ramp up.
    if (!choice.gpu) options.min_device_warm_up = Seconds{0};
    if (!chosen->why_no_monitor().empty()) info.notes.push_back(chosen->why_no_monitor());
    outcome = run_rank(plan, options, watch, chosen->workload(), chosen->transport(),
                       chosen->clock(), chosen->device(), chosen->monitor());
  }
  watch.position().enter(Stage::kReport);
  take_over(outcome, info);
  if (!simulated_start(plan)) add_costs(transport, outcome, info);
  const int code = together(transport, [&] {
    return ranks.is_root() ? judge_and_report(dir, info, arguments.quiet) : 0;
  });
  const int agreed = std::stoi(transport.broadcast(std::to_string(code)));
  clear_scratch(folders, transport.rank());
  return agreed;
}

}  // namespace traceml
