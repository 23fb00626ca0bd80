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
#include "harness/app/gpu_decode_choice.h"
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
#include "harness/codec/run_trace_file.h"
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
  Config config;  // as it was read
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
  Plan plan = make_plan(config, world_size);
  if (plan.trace && !writes_run_traces()) {
    throw NotBuilt("writing of traces (trace.active)", "TRACEML_WITH_KINETO");
  }
  return {std::move(config), std::move(plan), std::move(profile)};
}

// Collective. The GPU of this rank, and the plan without what cannot run on it.
GpuChoice choose_gpu_and_arms(Ranks& ranks, PlanAndProfile* read) {
  const auto queues = give_streams_queues_of_their_own(read->plan);
  GpuChoice choice = choose_gpu(read->plan, ranks.transport(), ranks.rank_on_node());
  choice.queues = queues;
  check_device(read->plan.config, choice);
  choice.left_out =
      leave_out_what_cannot_run(ranks.transport(), choice, &read->config, &read->plan);
  return choice;
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
  if (choice.gpu && choice.queues) {
    info.environment.facts["cuda_device_max_connections"] = *choice.queues;
  }
  info.notes = choice.left_out.sentences;
  info.left_out_gates = choice.left_out.gates;
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

// Collective. Where workload.cores says so; what is to be told of it.
void keep_to_own_cores(Transport& transport, const Plan& plan, RunInfo& info) {
  if (plan.config.arms.front().workload.cores != Cores::kShare || simulated_start(plan)) return;
  const int all = allowed_core_count();
  const std::size_t own =
      together(transport, [&] { return keep_to_share_of_cores(transport); }).size();
  info.notes.push_back(fmt::format(
      "each rank keeps to its share of the cores (workload.cores): rank 0 to {} of {}", own, all));
}

// Collective. Null where no rank knows.
std::optional<std::int64_t> largest_of(Transport& transport, std::optional<std::int64_t> own) {
  std::optional<std::int64_t> largest;
  for (const std::string& text : transport.gather(own ? std::to_string(*own) : "")) {
    if (!text.empty()) largest = std::max<std::int64_t>(largest.value_or(0), std::stoll(text));
  }
  return largest;
}

// Collective. What instrumented arms hold beside what the same arm without instruments does.
void add_instrument_memory(Transport& transport, const Plan& plan, const InstrumentMemory& clock,
                           RunInfo& info) {
  const auto instrumented = [](const ArmFacts& arm) { return arm.instrument != Instrument::kNone; };
  const CampaignFacts& facts = plan.facts;
  if (std::none_of(facts.arms.begin(), facts.arms.end(), instrumented)) return;
  InstrumentMemory all;
  all.device = largest_of(transport, clock.device);
  const auto records = static_cast<std::int64_t>(record_bytes_needed(plan));
  const bool is_known = clock.host || !clock.device;  // without a device there is no clock's
  all.host = largest_of(transport,
                        is_known ? std::optional(clock.host.value_or(0) + records) : std::nullopt);
  info.facts["instruments_hold"] = instrument_memory_text(all);
  const auto of_overhead = [](const GateSpec& gate) { return gate.kind == GateKind::kMaxOverhead; };
  if (std::any_of(facts.gates.begin(), facts.gates.end(), of_overhead)) {
    info.notes.push_back("events and records of the instrumented arms hold " +
                         info.facts["instruments_hold"] + " a rank, throughout the run");
  }
}

// Collective. What the run itself took of the machine: "12 ms", and of all ranks the largest
// "812 MiB".
void add_costs(Transport& transport, const RunOutcome& outcome, const Plan& plan,
               const InstrumentMemory& clock, RunInfo& info) {
  info.facts["raw_files_gathered_in"] = fmt::format("{:.0f} ms", Millis(outcome.gathering).count());
  const auto peak = largest_of(transport, peak_memory());
  if (peak) info.facts["host_memory_peak"] = fmt::format("{} MiB", (*peak + (1 << 19)) >> 20);
  add_instrument_memory(transport, plan, clock, info);
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
  const GpuChoice choice = choose_gpu_and_arms(ranks, &read);
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
  keep_to_own_cores(transport, plan, info);
  if (ranks.is_root()) write_run_info(dir + "/raw/run_info.json", info);

  RunOutcome outcome;
  InstrumentMemory clock_memory;
  {
    const auto chosen = choose_workload(plan, ranks, clock, choice, std::move(listed));
    std::unique_ptr<ProgressLine> progress;
    if (ranks.is_root() && !arguments.quiet) progress = std::make_unique<ProgressLine>();
    RankOptions options = options_of(folders, progress.get());
    options.run = info.run;
    options.wall = &clock;
    options.trace_dir = dir + "/trace";
    options.activities = chosen->activities();
    options.operators = chosen->operators();
    // Clocks of real devices ramp up.
    if (!choice.gpu) options.min_device_warm_up = Seconds{0};
    clock_memory = chosen->clock_memory();
    if (!chosen->why_no_monitor().empty()) info.notes.push_back(chosen->why_no_monitor());
    outcome = run_rank(plan, options, watch, chosen->workload(), chosen->transport(),
                       chosen->clock(), chosen->device(), chosen->monitor());
  }
  watch.position().enter(Stage::kReport);
  take_over(outcome, info);
  if (!simulated_start(plan)) add_costs(transport, outcome, plan, clock_memory, info);
  const int code = together(transport, [&] {
    return ranks.is_root() ? judge_and_report(dir, info, arguments.quiet) : 0;
  });
  const int agreed = std::stoi(transport.broadcast(std::to_string(code)));
  clear_scratch(folders, transport.rank());
  return agreed;
}

}  // namespace traceml
