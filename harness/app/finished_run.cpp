#include "harness/app/finished_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "harness/analysis/campaign.h"
#include "harness/analysis/command_campaign.h"
#include "harness/analysis/sweep_result.h"
#include "harness/app/run_traces.h"
#include "harness/app/terminal_style.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/command_file.h"
#include "harness/codec/config_file.h"
#include "harness/codec/gate_figures.h"
#include "harness/codec/hosts_file.h"
#include "harness/codec/raw_files.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/reports/all_reports.h"
#include "harness/reports/terminal.h"

namespace traceml {
namespace {

// What the rank that failed left, if it could.
std::string failure_on_file(const std::string& raw) {
  for (const Rank rank : ranks_in(raw)) {
    const std::string file = failure_file(raw, rank);
    if (!std::filesystem::exists(file)) continue;
    std::string sentence = read_whole_file(file);
    while (!sentence.empty() && sentence.back() == '\n') sentence.pop_back();
    return sentence;
  }
  return "";
}

// nullopt: an older run did not say, or its time was simulated and knows no cores.
std::optional<int> cores_per_rank(const RunInfo& info, const Config& config) {
  const WorkloadConfig& workload = config.arms.front().workload;
  const auto found = info.environment.facts.find("cores_per_rank");
  const bool simulated = workload.spins() && workload.clock == ClockKind::kVirtual;
  if (simulated || found == info.environment.facts.end()) return std::nullopt;
  int cores = 0;
  const std::string& text = found->second;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), cores);
  if (read.ec != std::errc{} || cores < 1) return std::nullopt;
  return cores;
}

const RunTraces* traces_of(const FinishedRun& run) {
  return run.traces ? &*run.traces : nullptr;
}

void write_reports(const std::string& dir, const FinishedRun& run) {
  const ReportInput input{run.info, run.plan, run.summary, dir, {}, traces_of(run)};
  for (const auto& [name, content] : render_files(input)) {
    write_file_atomically(dir + "/" + name, content);
  }
}

void print_report(const std::string& dir, const FinishedRun& run, bool quiet) {
  const ReportInput input{run.info,      run.plan, run.summary, dir, read_hosts(hosts_file(dir)),
                          traces_of(run)};
  const std::string text =
      quiet ? render_verdict_line(input) + "\n" : render_terminal(input, style_of_stdout());
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0 || written != text.size()) {
    throw RunError(fmt::format("cannot print the report: {}; it is in {}",
                               std::generic_category().message(errno), dir));
  }
}

}  // namespace

std::string hosts_file(const std::string& dir) {
  return dir + "/hosts.json";
}

std::string failure_file(const std::string& raw, Rank rank) {
  return fmt::format("{}/failure_rank_{:04}.txt", raw, rank.value);
}

// Of a run that ended early nothing is escalated: it was not the gate that gave no verdict.
void apply_history(const RunInfo& info, CampaignFacts& facts) {
  constexpr std::int64_t kMost = 1'000'000;
  for (std::vector<GateSpec>* gates : {&facts.gates, &facts.left_out_gates}) {
    for (GateSpec& gate : *gates) {
      const auto found = info.inconclusive_before.find(gate.name);
      if (found == info.inconclusive_before.end()) continue;
      gate.inconclusive_before = static_cast<int>(std::min(found->second, kMost));
    }
  }
}

// Half a run passes nothing: what ended it may have been on its way to a regression.
void withhold_passes(CampaignSummary& summary) {
  if (summary.outcome == Outcome::kPass) summary.outcome = Outcome::kInconclusive;
  if (summary.sweep) withhold_answer(*summary.sweep);
  for (GateResult& gate : summary.gates) {
    if (gate.outcome == Outcome::kFail) continue;
    const bool would_pass = gate.outcome == Outcome::kPass;
    gate.outcome = Outcome::kInconclusive;
    gate.why = "the run ended before its plan; " +
               (would_pass ? "the windows that were finished would pass" : gate.why);
  }
}

FinishedRun read_finished_run(const std::string& dir, bool accept_edited, RunTracesWanted traces) {
  const std::string raw = dir + "/raw";
  if (!std::filesystem::is_directory(raw)) {
    throw UsageError(fmt::format("{} is not the folder of a run: it has no raw/", dir));
  }
  FinishedRun run;
  run.info = read_run_info(raw + "/run_info.json", accept_edited);
  run.plan = make_plan(read_config_text(run.info.config_text, raw + "/run_info.json", {}),
                       run.info.world_size);
  run.plan.facts.distortions = run.info.distortions;
  run.plan.facts.left_out_gates = run.info.left_out_gates;
  run.plan.facts.cores_per_rank = cores_per_rank(run.info, run.plan.config);
  if (run.info.finished) apply_history(run.info, run.plan.facts);

  std::vector<std::string> warnings;
  const std::vector<std::string> arms = arm_names(run.plan.facts);
  if (run.plan.facts.commands) {
    run.summary = summarize_commands(
        run.plan.facts, read_commands(raw, run.info.run, arms, accept_edited, &warnings));
  } else {
    run.summary = summarize_campaign(
        run.plan.facts,
        read_run_records({raw, run.info.run, arms, accept_edited}, run.plan.facts, &warnings));
  }
  run.summary.warnings.insert(run.summary.warnings.end(), warnings.begin(), warnings.end());
  if (!run.info.finished) {
    if (run.info.failure.empty()) run.info.failure = failure_on_file(raw);
    withhold_passes(run.summary);
  }
  run.summary.exit_code = exit_code_of(run.info, run.summary);
  if (traces == RunTracesWanted::kExplained) {
    run.traces = read_run_traces(dir, run.plan, run.info.environment, run.summary);
  }
  return run;
}

void publish(const std::string& dir, const FinishedRun& run, bool quiet) {
  std::optional<Error> unprinted;
  try {
    print_report(dir, run, quiet);  // first: the folder may be full or read-only
  } catch (const Error& error) {
    unprinted = error;
  }
  write_reports(dir, run);
  if (unprinted) throw *unprinted;
}

}  // namespace traceml
