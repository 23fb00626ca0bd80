#include "harness/analysis/window.h"

#include <algorithm>
#include <utility>

#include "harness/analysis/saturating.h"

namespace traceml {

namespace {

constexpr std::array kInsideEnvelope = {Phase::kDecode,   Phase::kH2d,  Phase::kNormalize,
                                        Phase::kForward,  Phase::kLoss, Phase::kBackward,
                                        Phase::kOptimizer};
constexpr std::array kComputePhases = {Phase::kForward, Phase::kLoss, Phase::kBackward,
                                       Phase::kOptimizer};

constexpr bool is_required(Phase phase) {
  return phase == Phase::kInputWait || phase == Phase::kForward || phase == Phase::kBackward ||
         phase == Phase::kTraced;
}

// Sums over the steps of one rank, in nanoseconds.
struct PhaseTally {
  std::int64_t occurred = 0;
  std::array<std::int64_t, 2> measured{};
  std::array<std::int64_t, 2> sum{};
};

struct RankTally {
  std::array<PhaseTally, kPhaseCount> phases;
  std::array<std::int64_t, 2> residual{};
  std::array<std::int64_t, 2> clamped{};
  std::int64_t covered = 0;
  std::int64_t outside = 0;
  std::int64_t cadences = 0;
  bool outside_known = true;
  std::optional<std::pair<StepKey, Phase>> first_lack;  // of a device time
};

struct Lack {
  Rank rank;
  StepKey key;
  Phase phase;
};

void tally_phases(const StepRecord& row, RankTally& tally) {
  for (const Phase phase : kAllPhases) {
    const std::optional<DualTime>& time = row.phases[index_of(phase)];
    PhaseTally& sums = tally.phases[index_of(phase)];
    if (time) ++sums.occurred;
    for (const Clock clock : kClocks) {
      const auto nanos = nanos_on(time, clock);
      if (!nanos) continue;
      ++sums.measured[index_of(clock)];
      add_saturating(sums.sum[index_of(clock)], *nanos);
    }
  }
  const std::optional<Phase> lacking = first_without_device_time(row);
  if (!lacking) ++tally.covered;
  if (lacking && !tally.first_lack) tally.first_lack = {key_of(row), *lacking};
}

// Means nothing where a phase that occurred lacks a time; split_of() then answers null.
void tally_residual(const StepRecord& row, RankTally& tally) {
  for (const Clock clock : kClocks) {
    std::int64_t rest = nanos_on(row.phases[index_of(Phase::kTraced)], clock).value_or(0);
    for (const Phase phase : kInsideEnvelope) {
      rest -= nanos_on(row.phases[index_of(phase)], clock).value_or(0);
    }
    if (rest < 0) ++tally.clamped[index_of(clock)];
    add_saturating(tally.residual[index_of(clock)], std::max<std::int64_t>(rest, 0));
  }
}

void tally_outside(const StepRecord& row, const StepRecord& next, RankTally& tally) {
  const StepKey key = key_of(row), after = key_of(next);
  if (after.window != key.window || after.step.value != key.step.value + 1) return;
  const auto step = step_nanos(row, Clock::kCpu);
  if (!step) tally.outside_known = false;
  add_saturating(tally.outside, (next.start_host - row.start_host).count() - step.value_or(0));
  ++tally.cadences;
}

RankTally tally_of(const std::vector<const StepRecord*>& rows) {
  RankTally tally;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tally_phases(*rows[i], tally);
    tally_residual(*rows[i], tally);
    if (i + 1 < rows.size()) tally_outside(*rows[i], *rows[i + 1], tally);
  }
  return tally;
}

Millis mean_of(std::int64_t nanos, std::int64_t count) {
  return Millis(static_cast<double>(nanos) / static_cast<double>(count) / 1e6);
}

// Rule 2: null is not zero.
std::optional<Millis> phase_mean(const RankTally& tally, Phase phase, Clock clock,
                                 std::int64_t steps) {
  const PhaseTally& sums = tally.phases[index_of(phase)];
  const std::int64_t measured = sums.measured[index_of(clock)];
  if (steps == 0 || measured == 0 || measured != sums.occurred) return std::nullopt;
  if (is_required(phase) && measured != steps) return std::nullopt;
  return mean_of(sums.sum[index_of(clock)], steps);
}

bool known_or_never(const RankTally& tally, Phase phase, Clock clock) {
  const PhaseTally& sums = tally.phases[index_of(phase)];
  return sums.measured[index_of(clock)] == sums.occurred;
}

EnvelopeSplit split_of(const RankTally& tally, Clock clock, std::int64_t steps) {
  EnvelopeSplit split;
  for (const Phase phase : {Phase::kForward, Phase::kBackward, Phase::kOptimizer}) {
    if (!phase_mean(tally, phase, clock, steps)) return split;
  }
  if (!known_or_never(tally, Phase::kLoss, clock)) return split;
  std::int64_t compute = 0;
  for (const Phase phase : kComputePhases) {
    add_saturating(compute, tally.phases[index_of(phase)].sum[index_of(clock)]);
  }
  split.compute = mean_of(compute, steps);
  if (!phase_mean(tally, Phase::kTraced, clock, steps)) return split;
  for (const Phase phase : {Phase::kDecode, Phase::kH2d, Phase::kNormalize}) {
    if (!known_or_never(tally, phase, clock)) return split;
  }
  split.residual = mean_of(tally.residual[index_of(clock)], steps);
  split.clamped_steps = tally.clamped[index_of(clock)];
  return split;
}

std::optional<Millis> sum_of(std::optional<Millis> a, std::optional<Millis> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

RankWindow rank_window(Rank rank, const RankTally& tally, std::int64_t steps) {
  RankWindow result;
  result.rank = rank;
  result.covered_steps = tally.covered;
  for (const Phase phase : kAllPhases) {
    if (tally.phases[index_of(phase)].occurred == 0) continue;
    result.figures.phases[phase] = {phase_mean(tally, phase, Clock::kCpu, steps),
                                    phase_mean(tally, phase, Clock::kGpu, steps)};
  }
  for (const Clock clock : kClocks) result.split[index_of(clock)] = split_of(tally, clock, steps);
  const auto step = [&](Clock clock) {
    return sum_of(phase_mean(tally, Phase::kInputWait, clock, steps),
                  phase_mean(tally, Phase::kTraced, clock, steps));
  };
  result.figures.step_cpu = step(Clock::kCpu);
  result.figures.step_gpu = step(Clock::kGpu);
  if (tally.outside_known && tally.cadences > 0) {
    result.figures.outside = mean_of(tally.outside, tally.cadences);
  }
  return result;
}

// Rule 1.
bool complete_on_gpu(const WindowFigures& window) {
  const auto steps = static_cast<std::int64_t>(window.steps.size());
  return window.missing.empty() && steps > 0 && !window.ranks.empty() &&
         std::all_of(window.ranks.begin(), window.ranks.end(),
                     [&](const RankWindow& rank) { return rank.covered_steps == steps; });
}

std::string why_cpu(const WindowFigures& window, const std::vector<RankTally>& tallies) {
  if (!window.missing.empty()) {
    return "rank " + std::to_string(window.missing.front().value) + " did not report";
  }
  if (window.steps.empty()) return "no step is common to all ranks";
  bool any_device_time = false;
  std::string coverage;
  std::optional<Lack> first;
  int listed = 0;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    for (const PhaseTally& phase : tallies[i].phases) {
      any_device_time |= phase.measured[index_of(Clock::kGpu)] > 0;
    }
    if (!tallies[i].first_lack) continue;
    const auto& [key, phase] = *tallies[i].first_lack;
    if (!first) first = {window.ranks[i].rank, key, phase};
    ++listed;
    if (listed == 5) coverage += ", ...";
    if (listed >= 5) continue;
    coverage += (coverage.empty() ? "" : ", ") + std::to_string(window.ranks[i].rank.value) + ": " +
                coverage_of(window, window.ranks[i]);
  }
  if (!any_device_time) return "no device clock";
  return "device times are incomplete (" + coverage + "); the first to lack is rank " +
         std::to_string(first->rank.value) + ", window " + std::to_string(first->key.window.value) +
         ", step " + std::to_string(first->key.step.value) + ", " +
         std::string(name_of(first->phase));
}

// Mean over ranks; null where one rank's figure is.
template <typename Figure>
std::optional<Millis> mean_over_ranks(const WindowFigures& window, Figure figure) {
  if (!window.missing.empty() || window.ranks.empty()) return std::nullopt;
  double sum = 0;
  for (const RankWindow& rank : window.ranks) {
    const std::optional<Millis> value = figure(rank);
    if (!value) return std::nullopt;
    sum += value->count();
  }
  return Millis(sum / static_cast<double>(window.ranks.size()));
}

void fill_global(WindowFigures& window) {
  const bool complete = complete_on_gpu(window);
  const auto mean = [&](auto figure) { return mean_over_ranks(window, figure); };
  StepFigures& global = window.global;
  global.step_cpu = mean([](const RankWindow& rank) { return rank.figures.step_cpu; });
  if (complete) {
    global.step_gpu = mean([](const RankWindow& rank) { return rank.figures.step_gpu; });
  }
  global.outside = mean([](const RankWindow& rank) { return rank.figures.outside; });
  for (const Phase phase : kAllPhases) {
    const bool occurred =
        std::any_of(window.ranks.begin(), window.ranks.end(),
                    [&](const RankWindow& rank) { return rank.figures.phases.count(phase) > 0; });
    if (!occurred) continue;
    const auto on = [&](Clock clock) {
      return mean([&](const RankWindow& rank) { return figure_of(rank.figures, phase, clock); });
    };
    global.phases[phase] = {on(Clock::kCpu), on(Clock::kGpu)};
  }
  for (const Clock clock : kClocks) {
    EnvelopeSplit& split = window.global_split[index_of(clock)];
    split.compute =
        mean([&](const RankWindow& rank) { return rank.split[index_of(clock)].compute; });
    split.residual =
        mean([&](const RankWindow& rank) { return rank.split[index_of(clock)].residual; });
    for (const RankWindow& rank : window.ranks) {
      split.clamped_steps += rank.split[index_of(clock)].clamped_steps;
    }
  }
}

void take_split(const EnvelopeSplit& split, StepFigures& figures) {
  figures.compute = split.compute;
  figures.residual = split.residual;
  figures.residual_clamped_steps = split.clamped_steps;
}

}  // namespace

std::string coverage_of(const WindowFigures& window, const RankWindow& rank) {
  return std::to_string(rank.covered_steps) + "/" + std::to_string(window.steps.size());
}

WindowFigures analyze_window(const AlignedRows& rows) {
  WindowFigures window;
  window.steps = rows.steps;
  window.gaps = rows.gaps;
  window.missing = rows.missing;
  const auto steps = static_cast<std::int64_t>(rows.steps.size());
  std::vector<RankTally> tallies;
  for (const RankRows& rank : rows.ranks) {
    tallies.push_back(tally_of(rank.rows));
    window.ranks.push_back(rank_window(rank.rank, tallies.back(), steps));
  }
  window.clock = complete_on_gpu(window) ? Clock::kGpu : Clock::kCpu;
  if (window.clock == Clock::kCpu) window.clock_why = why_cpu(window, tallies);
  fill_global(window);
  for (RankWindow& rank : window.ranks) {
    take_split(rank.split[index_of(window.clock)], rank.figures);
  }
  take_split(window.global_split[index_of(window.clock)], window.global);
  return window;
}

WindowFigures analyze_window(std::span<const Rank> expected, std::vector<RankRows> ranks) {
  return analyze_window(align_rows(expected, std::move(ranks)));
}

std::vector<std::optional<double>> slowest_rank_ms(const AlignedRows& rows, Clock clock) {
  std::vector<std::optional<double>> slowest(rows.steps.size());
  for (const RankRows& rank : rows.ranks) {
    for (std::size_t i = 0; i < rows.steps.size(); ++i) {
      const auto nanos = step_nanos(*rank.rows[i], clock);
      const bool first = &rank == &rows.ranks.front();
      if (!nanos || (!first && !slowest[i])) {
        slowest[i] = std::nullopt;
      } else {
        slowest[i] = std::max(slowest[i].value_or(0), static_cast<double>(*nanos) / 1e6);
      }
    }
  }
  return slowest;
}

std::optional<Millis> figure_of(const StepFigures& figures, Phase phase, Clock clock) {
  const auto found = figures.phases.find(phase);
  if (found == figures.phases.end()) return std::nullopt;
  return clock == Clock::kGpu ? found->second.gpu : found->second.cpu;
}

std::optional<Millis> step_of(const StepFigures& figures, Clock clock) {
  return clock == Clock::kGpu ? figures.step_gpu : figures.step_cpu;
}

}  // namespace traceml
