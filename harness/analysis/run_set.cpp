#include "harness/analysis/run_set.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/run_set_findings.h"
#include "harness/analysis/verdict.h"
#include "harness/core/error.h"

namespace traceml {

namespace {

using std::to_string;
using Runs = std::vector<StoredRun>;

template <class Has>
bool every_run(const Runs& baseline, const Runs& candidate, Has has) {
  return std::all_of(baseline.begin(), baseline.end(), has) &&
         std::all_of(candidate.begin(), candidate.end(), has);
}

// A clock that every run of the set has; which clock the whole set's windows selected.
ClockSide side_of(const Runs& runs) {
  ClockSide side = runs.front().step;
  for (const StoredRun& run : runs) {
    if (!run.step.step_cpu) side.step_cpu.reset();
    if (!run.step.step_gpu) side.step_gpu.reset();
    if (run.step.selected != side.selected) side.selected.reset();
  }
  return side;
}

std::optional<double> step_on(const ClockSide& side, Figure figure) {
  return figure == Figure::kStepGpu ? side.step_gpu : side.step_cpu;
}

std::optional<double> time_of(const StoredRun& run, Figure figure, bool per_image) {
  const std::optional<double> time =
      figure == Figure::kWall ? run.wall_ms : step_on(run.step, figure);
  if (!time || !per_image) return time;
  return *time / static_cast<double>(run.global_batch);
}

// Both figures stand for the time of one clock, so that one rule says what is a time.
std::optional<double> ratio_of(std::optional<double> from, std::optional<double> to) {
  return compare_on_common_clock({std::nullopt, from, std::nullopt},
                                 {std::nullopt, to, std::nullopt})
      .ratio;
}

std::vector<RunPair> pairs_of(const Runs& baseline, const Runs& candidate, Figure figure,
                              bool per_image) {
  std::vector<RunPair> pairs;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    RunPair pair;
    pair.baseline = baseline[i].label;
    pair.candidate = candidate[i].label;
    pair.baseline_ms = time_of(baseline[i], figure, per_image);
    pair.candidate_ms = time_of(candidate[i], figure, per_image);
    if (figure != Figure::kWall && !per_image) {
      pair.baseline_mean_ms = step_on(baseline[i].mean_over_ranks, figure);
      pair.candidate_mean_ms = step_on(candidate[i].mean_over_ranks, figure);
    }
    const auto ratio = ratio_of(pair.baseline_ms, pair.candidate_ms);
    if (ratio) pair.log_ratio = std::log(*ratio);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<double> log_ratios_of(const std::vector<RunPair>& pairs) {
  std::vector<double> ratios;
  for (const RunPair& pair : pairs) {
    if (pair.log_ratio) ratios.push_back(*pair.log_ratio);
  }
  return ratios;
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void choose_figure(const Runs& baseline, const Runs& candidate, RunSetComparison& result) {
  const auto has_wall = [](const StoredRun& run) { return run.wall_ms.has_value(); };
  const auto has_batch = [](const StoredRun& run) { return run.global_batch > 0; };
  const std::int64_t batch = baseline.front().global_batch;
  const auto equal_batch = [&](const StoredRun& run) { return run.global_batch == batch; };
  result.step_clock = common_clock(side_of(baseline), side_of(candidate));
  if (every_run(baseline, candidate, has_wall)) {
    result.figure = Figure::kWall;
  } else if (result.step_clock) {
    result.figure = *result.step_clock == Clock::kGpu ? Figure::kStepGpu : Figure::kStepCpu;
  }
  result.per_image =
      every_run(baseline, candidate, has_batch) && !every_run(baseline, candidate, equal_batch);
}

void estimate(const std::vector<double>& ratios, const RunSetRule& rule, RunSetComparison& result) {
  result.units = ratios.size();
  result.theta = mean_of(ratios);
  const std::optional<Estimate> estimate = launch_estimate(ratios);
  if (!estimate) return;
  const Spread& spread = *estimate->spread;
  const double level = rule.alpha / rule.looks;
  result.pair_sd = spread.sd;
  result.interval = interval_at(estimate->theta, spread, level, {});
  result.interval_90 = interval_at(estimate->theta, spread, 0.05, {});
  result.minimum_detectable = minimum_detectable_change(spread, level, {});
}

// Asked only where nothing else forbids a verdict.
void judge_pairs(const std::vector<double>& ratios, const RunSetRule& rule,
                 RunSetComparison& result) {
  const GateRule gate_rule{std::log1p(rule.delta), rule.alpha, rule.looks, 1, false, {}};
  const Judgement judgement = judge(*launch_estimate(ratios), gate_rule);
  result.direction = judgement.direction;
  result.outcome = judgement.outcome;
  if (judgement.outcome != Outcome::kInconclusive) return;
  GateSpec gate;
  gate.delta = rule.delta;
  result.findings = indecision_findings(gate, gate_rule, judgement, ratios);
}

// The mean over the runs of a side; null where one of them lacks the phase.
std::optional<double> mean_phase(const Runs& runs, const std::string& phase) {
  double sum = 0;
  for (const StoredRun& run : runs) {
    const auto found = run.phases.find(phase);
    if (found == run.phases.end()) return std::nullopt;
    sum += found->second;
  }
  return sum / static_cast<double>(runs.size());
}

void compare_phases(const Runs& baseline, const Runs& candidate, RunSetComparison& result) {
  const ClockSide from = side_of(baseline), to = side_of(candidate);
  if (!compare_on_common_clock(from, to).phases_comparable) return;
  result.phase_clock = from.selected;
  for (const auto& [phase, ignored] : baseline.front().phases) {
    const auto before = mean_phase(baseline, phase), after = mean_phase(candidate, phase);
    if (before && after) result.phases.push_back({phase, *before, *after});
  }
}

// docs/statistics.md 2.1: the wall decides, and where the step tells another story it is said.
void compare_steps(const Runs& baseline, const Runs& candidate, const RunSetRule& rule,
                   RunSetComparison& result) {
  if (result.figure != Figure::kWall || !result.step_clock) return;
  const Figure figure = *result.step_clock == Clock::kGpu ? Figure::kStepGpu : Figure::kStepCpu;
  result.step_theta =
      mean_of(log_ratios_of(pairs_of(baseline, candidate, figure, result.per_image)));
  if (!result.theta || !result.step_theta) return;
  if (std::abs(*result.theta - *result.step_theta) <= std::log1p(rule.delta)) return;
  result.outside_step = outside_step_sentence(*result.theta, *result.step_theta);
}

// The pairs in which both runs are launches; the i-th baseline beside the i-th candidate.
std::pair<Runs, Runs> launches_of(const Runs& baseline, const Runs& candidate) {
  std::pair<Runs, Runs> kept;
  for (std::size_t i = 0; i < std::min(baseline.size(), candidate.size()); ++i) {
    if (!baseline[i].void_reason.empty() || !candidate[i].void_reason.empty()) continue;
    kept.first.push_back(baseline[i]);
    kept.second.push_back(candidate[i]);
  }
  return kept;
}

}  // namespace

RunSetComparison compare_run_sets(const Runs& all_baseline, const Runs& all_candidate,
                                  const RunSetRule& rule) {
  RunSetComparison result;
  const auto [baseline, candidate] = launches_of(all_baseline, all_candidate);
  result.findings = set_findings(all_baseline, all_candidate, baseline.size());
  result.notes = set_notes(all_baseline, all_candidate);
  if (baseline.empty()) {
    sort_by_precedence(result.findings);
    return result;
  }
  choose_figure(baseline, candidate, result);
  if (result.figure) {
    result.pairs = pairs_of(baseline, candidate, *result.figure, result.per_image);
  }
  const std::vector<double> ratios = log_ratios_of(result.pairs);
  estimate(ratios, rule, result);
  compare_phases(baseline, candidate, result);
  compare_steps(baseline, candidate, rule, result);
  result.differences = differing_settings(baseline.front(), candidate.front());
  add_findings(baseline, candidate, result);
  add_notes(baseline, candidate, result);
  if (result.findings.empty()) judge_pairs(ratios, rule, result);
  sort_by_precedence(result.findings);
  return result;
}

int exit_code_of(const RunSetComparison& comparison) {
  switch (comparison.outcome) {
    case Outcome::kPass:
      return value_of(ExitCode::kPass);
    case Outcome::kFail:
      return value_of(ExitCode::kRegression);
    case Outcome::kInconclusive:
      break;
  }
  return value_of(ExitCode::kInconclusive);
}

}  // namespace traceml
