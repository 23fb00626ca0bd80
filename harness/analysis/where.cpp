#include "harness/analysis/where.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/common_clock.h"
#include "harness/analysis/text.h"

namespace traceml {

namespace {

ClockSide side_of(const ArmAnalysis& arm) {
  const auto count = [](const std::optional<Millis>& time) {
    return time ? std::optional<double>(time->count()) : std::nullopt;
  };
  return {arm.summary.clock, count(arm.summary.global.step_cpu),
          count(arm.summary.global.step_gpu)};
}

bool occurs(const ArmAnalysis& arm, Phase phase) {
  return arm.summary.global.phases.count(phase) > 0;
}

void add_difference(const std::string& what, Clock clock, std::optional<Millis> candidate,
                    std::optional<Millis> baseline, std::vector<PhaseDifference>& differences) {
  if (!candidate || !baseline) return;
  differences.push_back({what, clock, *candidate - *baseline});
}

// Max over ranks of the row means.
std::optional<Millis> slowest_step(const ArmAnalysis& arm, Clock clock) {
  std::optional<Millis> slowest;
  for (const RankWindow& rank : arm.figures.ranks) {
    const auto step = step_of(rank.figures, clock);
    if (!step) return std::nullopt;
    slowest = std::max(slowest.value_or(Millis{}), *step);
  }
  return slowest;
}

}  // namespace

std::vector<PhaseDifference> differences_between(const ArmAnalysis& candidate,
                                                 const ArmAnalysis& baseline) {
  std::vector<PhaseDifference> differences;
  const std::optional<Clock> clock = common_clock(side_of(baseline), side_of(candidate));
  if (!clock) return differences;
  const auto figure = [&](const ArmAnalysis& arm, Phase phase) {
    if (!occurs(arm, phase)) return std::optional<Millis>(Millis{});
    return figure_of(arm.summary.global, phase, *clock);
  };
  for (const Phase phase : kAllPhases) {
    if (phase == Phase::kTraced || (!occurs(candidate, phase) && !occurs(baseline, phase)))
      continue;
    add_difference(std::string(name_of(phase)), *clock, figure(candidate, phase),
                   figure(baseline, phase), differences);
  }
  add_difference("residual", *clock, candidate.figures.global_split[index_of(*clock)].residual,
                 baseline.figures.global_split[index_of(*clock)].residual, differences);
  add_difference("outside", Clock::kCpu, candidate.summary.global.outside,
                 baseline.summary.global.outside, differences);
  std::stable_sort(differences.begin(), differences.end(), [](const auto& a, const auto& b) {
    return std::abs(a.difference.count()) > std::abs(b.difference.count());
  });
  return differences;
}

std::string outside_the_step(const GateResult& gate, const ArmAnalysis& candidate,
                             const ArmAnalysis& baseline) {
  const std::optional<Clock> clock = common_clock(side_of(baseline), side_of(candidate));
  if (!clock || !gate.mean_difference || !baseline.summary.wall_per_step) return {};
  const auto from = slowest_step(baseline, *clock), to = slowest_step(candidate, *clock);
  if (!from || !to) return {};
  const Millis in_step = *to - *from;
  const Millis outside = *gate.mean_difference - in_step;
  const Millis margin = gate.spec.delta * *baseline.summary.wall_per_step;
  if (std::abs(outside.count()) <= margin.count()) return {};
  return "the difference lies outside the step: " + signed_in_ms(outside) +
         " (wall per step differs by " + signed_in_ms(*gate.mean_difference) +
         ", the step on the " + std::string(name_of(*clock)) + " clock by " +
         signed_in_ms(in_step) + ")";
}

}  // namespace traceml
