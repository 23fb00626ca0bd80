#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/reports/arm_tables.h"
#include "harness/reports/clock_figures.h"
#include "harness/reports/figures.h"
#include "harness/reports/words.h"

namespace traceml {
namespace {

bool recurs(const CampaignSummary& summary, const ArmSummary& arm, Rank rank) {
  return std::any_of(
      summary.stragglers.begin(), summary.stragglers.end(), [&](const Straggler& straggler) {
        return straggler.arm == arm.name && straggler.rank == rank && straggler.recurring;
      });
}

std::optional<Millis> difference(std::optional<Millis> value, std::optional<Millis> from) {
  return value && from ? std::optional(*value - *from) : std::nullopt;
}

// The phase in which a rank is furthest from the mean of the ranks, and by how much.
std::pair<Phase, Millis> furthest_phase(const ArmSummary& arm, const RankFigures& rank) {
  std::pair<Phase, Millis> furthest{Phase::kInputWait, Millis{}};
  for (const Phase phase : kAllPhases) {
    if (phase == Phase::kTraced) continue;
    const auto by = difference(phase_on(rank.figures, phase, *arm.clock),
                               phase_on(arm.global, phase, *arm.clock));
    if (by && std::abs(by->count()) > std::abs(furthest.second.count())) furthest = {phase, *by};
  }
  return furthest;
}

constexpr double kShareOfStep = 0.02;

// By more than kShareOfStep of the step, in the step or in a phase.
bool differs(const ArmSummary& arm, const RankFigures& rank) {
  const auto step = step_on(arm.global, *arm.clock);
  if (!step) return false;
  const auto by_step = difference(step_on(rank.figures, *arm.clock), step).value_or(Millis{});
  const double by =
      std::max(std::abs(by_step.count()), std::abs(furthest_phase(arm, rank).second.count()));
  return by > kShareOfStep * step->count();
}

std::vector<std::string> rank_row(const CampaignSummary& summary, const ArmSummary& arm,
                                  const RankFigures& rank) {
  const auto [phase, by] = furthest_phase(arm, rank);
  const auto step = step_on(rank.figures, *arm.clock);
  const int decimals = decimals_for(step.value_or(Millis{}));
  std::string last = kNull;
  if (rank.all_reduce_steps > 0) {
    last = percent(double(rank.last_at_all_reduce) / double(rank.all_reduce_steps), 0);
  }
  return {arm.name,
          std::to_string(rank.rank.value),
          bare_ms(step, decimals),
          bare_ms(phase_on(rank.figures, Phase::kInputWait, *arm.clock), decimals),
          last,
          fmt::format("{} {}{}", name_of(phase), signed_ms(by),
                      recurs(summary, arm, rank.rank) ? "  <- recurring" : ""),
          bare_ms(rank.wall_per_step, decimals)};
}

// All ranks of an arm of which one stands out; of many ranks those that do, at most kManyRanks.
std::vector<const RankFigures*> ranks_to_show(const CampaignSummary& summary,
                                              const ArmSummary& arm) {
  std::vector<const RankFigures*> all;
  std::vector<const RankFigures*> outstanding;
  if (!arm.clock || arm.ranks.size() < 2) return all;
  for (const RankFigures& rank : arm.ranks) {
    all.push_back(&rank);
    if (differs(arm, rank) || recurs(summary, arm, rank.rank)) outstanding.push_back(&rank);
  }
  if (!outstanding.empty() && all.size() <= kManyRanks) return all;
  if (outstanding.size() <= kManyRanks) return outstanding;
  const auto distance = [&](const RankFigures* rank) {
    return std::abs(furthest_phase(arm, *rank).second.count());
  };
  std::stable_sort(outstanding.begin(), outstanding.end(),
                   [&](const auto* a, const auto* b) { return distance(a) > distance(b); });
  outstanding.resize(kManyRanks);
  std::sort(outstanding.begin(), outstanding.end(),
            [](const auto* a, const auto* b) { return a->rank < b->rank; });
  return outstanding;
}

}  // namespace

std::optional<Table> rank_table(const CampaignSummary& summary) {
  Table table;
  table.title = "Ranks that differ";
  table.caption = fmt::format(
      "ms per step, mean of steps, {}. furthest: the phase furthest from the "
      "mean of the ranks. wall: host clock, mean of windows.",
      clock_words(summary));
  table.columns = {{"arm", true, 0, true},
                   {"rank"},
                   {"step"},
                   {"input_wait", false, 2, false},
                   {"last at\nall-reduce"},
                   {"furthest", true, 0, false},
                   {"wall", false, 3, false}};
  for (const ArmSummary& arm : summary.arms) {
    const auto ranks = ranks_to_show(summary, arm);
    for (const RankFigures* rank : ranks) table.rows.push_back(rank_row(summary, arm, *rank));
    if (!ranks.empty() && ranks.size() < arm.ranks.size()) {
      table.remarks.push_back(
          fmt::format("{} of {} ranks of {}: those furthest from the mean; run.json has all.",
                      ranks.size(), arm.ranks.size(), arm.name));
    }
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace traceml
