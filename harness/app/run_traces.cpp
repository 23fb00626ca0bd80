#include "harness/app/run_traces.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/trace_findings.h"
#include "harness/codec/efficiency.h"
#include "harness/codec/kineto_trace.h"
#include "harness/codec/run_trace_file.h"
#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/reports/html/html.h"
#include "harness/reports/trace_page.h"

namespace traceml {
namespace {

// The arm's twin without hooks, where the run has it, else the arm itself.
const ArmSummary* bare_arm(const CampaignSummary& summary, const std::string& arm) {
  for (const std::string& name : {arm + "/none", arm}) {
    const auto found = std::find_if(summary.arms.begin(), summary.arms.end(),
                                    [&](const ArmSummary& one) { return one.name == name; });
    if (found != summary.arms.end() && found->wall_per_step) return &*found;
  }
  return nullptr;
}

std::string arithmetic_words(const std::optional<Efficiency>& efficiency) {
  if (!efficiency || !efficiency->mfu) return "";
  return fmt::format(
      "MFU {:.1f} %, HFU the same: {:.1f} GFLOP an image (2 a multiply-accumulate of the model's "
      "layers, backward twice forward) times the images a second of the measured step, {:.1f} of "
      "{:.1f} TFLOP/s",
      100 * *efficiency->mfu, efficiency->flop_per_image / 1e9, efficiency->tflop_per_s,
      *efficiency->peak_tflop_per_s);
}

void explain_files(const std::vector<std::string>& files, const TraceOptions& options,
                   RunTraces* traces) {
  std::vector<Timeline> timelines;
  std::vector<const Timeline*> all;
  std::vector<int> ranks;
  for (const std::string& file : files) {
    timelines.push_back(make_timeline(read_kineto_trace(file)));
    traces->reports.push_back(explain_timeline(timelines.back(), options, file));
    ranks.push_back(timelines.back().events.rank.value_or(static_cast<int>(ranks.size())));
  }
  for (const Timeline& timeline : timelines) all.push_back(&timeline);
  if (timelines.size() > 1) {
    traces->ranks = explain_ranks(all, ranks);
    if (options.run) use_checks_of_run(*options.run, &traces->ranks->findings);
  }
  traces->lanes.resize(timelines.size());
  if (!html_built()) return;
  const std::vector<std::size_t> in_full = traces_in_full(traces->reports);
  for (const std::size_t i : in_full) {
    traces->lanes[i] = step_lanes(timelines[i], traces->reports[i], lane_limits(in_full.size()));
  }
}

}  // namespace

std::optional<RunOfTrace> run_of_trace(const Plan& plan, const Environment& environment,
                                       const CampaignSummary& summary) {
  if (!plan.trace) return std::nullopt;
  const ArmFacts& arm = plan.facts.arms[static_cast<std::size_t>(plan.trace->arm.value)];
  RunOfTrace run;
  run.settings = arm.settings;
  for (const ConfigKey& key : config_keys()) {
    if (key.scope != KeyScope::kArm) run.settings.emplace_back(key.path, key.get(plan.config));
  }
  run.arm = arm.name;
  run.arms_own_keys = plan.config.arms[static_cast<std::size_t>(plan.trace->arm.value)].overridden;
  if (const ArmSummary* bare = bare_arm(summary, arm.name)) {
    run.bare_arm = bare->name;
    run.bare_step = bare->wall_per_step;
    run.arithmetic = arithmetic_words(efficiency_of(plan, environment, *bare));
  }
  return run;
}

std::vector<std::string> trace_files_of(const std::string& run_dir,
                                        std::optional<std::int64_t> cycle) {
  const std::vector<std::int64_t> cycles = run_trace_cycles(run_dir);
  if (cycles.empty()) {
    throw UsageError(fmt::format(
        "{} holds no trace/rank_*.json.gz; give the folder of a run that traced (trace.active in "
        "its config), or a trace file",
        run_dir));
  }
  const std::int64_t wanted = cycle.value_or(cycles.front());
  std::vector<std::string> files = run_trace_files(run_dir, wanted);
  if (files.empty()) {
    throw UsageError(fmt::format("{} has no trace of cycle {}; there are: {}", run_dir, wanted,
                                 fmt::join(cycles, ", ")));
  }
  return files;
}

std::optional<RunTraces> read_run_traces(const std::string& run_dir, const Plan& plan,
                                         const Environment& environment,
                                         const CampaignSummary& summary) {
  const std::vector<std::int64_t> cycles = run_trace_cycles(run_dir);
  if (cycles.empty()) return std::nullopt;
  RunTraces traces;
  traces.cycle = cycles.front();
  traces.cycles = std::ssize(cycles);
  TraceOptions options;
  options.run = run_of_trace(plan, environment, summary);
  try {
    explain_files(run_trace_files(run_dir, traces.cycle), options, &traces);
  } catch (const NotBuilt&) {
    traces = {};
    traces.fault =
        "files are in trace/; this build reads no traces, one with "
        "-DTRACEML_WITH_KINETO=ON shows them: traceml-bench report RUN_DIR";
  } catch (const RunError& error) {
    traces = {};
    traces.fault = error.what();
  }
  return traces;
}

}  // namespace traceml
