// The series that a look makes of step times are those that the tables make of the whole records.

#include "harness/analysis/step_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "harness/analysis/window.h"

namespace traceml {
namespace {

constexpr int kRanks = 3;

CampaignFacts facts_of_ranks() {
  CampaignFacts facts;
  facts.world_size = kRanks;
  facts.arms.resize(2);
  return facts;
}

// Windows 0 to 5, in turns of two arms. With chance `flaw` a step is absent, comes twice, or has a
// phase without a time, with a negative one or with none on the device.
std::vector<RankRecords> flawed_records(std::uint64_t seed, double flaw) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> chance;
  std::uniform_int_distribution<std::int64_t> nanos(1, 1000000);
  const auto flawed = [&] { return chance(random) < flaw; };
  std::vector<RankRecords> ranks(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks[static_cast<std::size_t>(rank)].rank = Rank{rank};
    auto& steps = ranks[static_cast<std::size_t>(rank)].steps;
    for (std::int64_t i = 0; i < 6 * 10; ++i) {
      StepRecord step;
      step.arm = ArmIndex{static_cast<int>(i / 10 % 2)};
      step.window = WindowIndex{i / 10};
      step.step = StepIndex{i % 10};
      step.timed = i % 10 >= 2;
      for (const Phase phase : {Phase::kInputWait, Phase::kForward, Phase::kTraced}) {
        DualTime time{Nanos(nanos(random)), Nanos(nanos(random))};
        if (flawed()) time.device = Nanos(-1);
        if (flawed()) time.device.reset();
        if (flawed()) time.host = Nanos(-1);
        if (flawed()) time.host.reset();
        if (!flawed()) step.phases[index_of(phase)] = time;
      }
      if (!flawed()) steps.push_back(step);
      if (flawed()) steps.push_back(step);
    }
    if (flawed()) std::shuffle(steps.begin(), steps.end(), random);
    if (flawed()) steps.clear();
  }
  return ranks;
}

// By the way of the tables: aligned rows, their one clock, max over ranks.
std::vector<WindowSeries> series_of_tables(const std::vector<RankRecords>& ranks, ArmIndex arm,
                                           const std::vector<WindowIndex>& windows, Clock* clock) {
  std::vector<Rank> world;
  std::vector<RankRows> rows;
  for (const RankRecords& rank : ranks) {
    world.push_back(rank.rank);
    rows.push_back({rank.rank, {}});
    for (const StepRecord& step : rank.steps) {
      const bool wanted = std::find(windows.begin(), windows.end(), *step.window) != windows.end();
      if (wanted && step.timed && step.arm == arm) rows.back().rows.push_back(&step);
    }
  }
  const AlignedRows aligned = align_rows(world, std::move(rows));
  if (!aligned.missing.empty()) return {};
  *clock = analyze_window(aligned).clock;
  const auto slowest = slowest_rank_ms(aligned, *clock);
  std::vector<WindowSeries> series;
  std::set<WindowIndex> incomplete;
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    const WindowIndex window = aligned.steps[i].window;
    if (series.empty() || series.back().window != window) series.push_back({window, {}});
    if (!slowest[i]) incomplete.insert(window);
    series.back().steps_ms.push_back(slowest[i].value_or(0));
  }
  std::erase_if(series, [&](const WindowSeries& one) { return incomplete.contains(one.window); });
  return series;
}

TEST(StepTimes, give_the_series_of_the_tables_for_any_number_of_windows) {
  const CampaignFacts facts = facts_of_ranks();
  std::set<std::pair<Clock, bool>> seen;  // clock, and whether a window is left out
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const auto ranks = flawed_records(seed, seed % 3 == 0 ? 0 : seed % 3 == 1 ? .001 : .02);
    std::vector<const RankRecords*> slots;
    for (const RankRecords& rank : ranks) slots.push_back(&rank);
    const SlowestByArm steps = slowest_steps(facts, step_times_of(slots));
    for (int arm = 0; arm < 2; ++arm) {
      std::vector<WindowIndex> windows;
      for (std::int64_t window = arm; window < 6; window += 2) {
        windows.push_back({window});
        Clock clock = Clock::kCpu;
        const auto expected = series_of_tables(ranks, ArmIndex{arm}, windows, &clock);
        const auto series = series_of(steps[static_cast<std::size_t>(arm)], windows);
        ASSERT_EQ(series.size(), expected.size());
        for (std::size_t i = 0; i < series.size(); ++i) {
          ASSERT_EQ(series[i].window, expected[i].window);
          ASSERT_EQ(series[i].steps_ms, expected[i].steps_ms);  // bit by bit
        }
        if (!series.empty()) seen.insert({clock, series.size() < windows.size()});
      }
    }
  }
  EXPECT_GE(seen.size(), 3u);
}

TEST(StepTimes, of_one_step_are_the_sum_of_wait_and_envelope_on_each_clock) {
  StepRecord step;
  step.window = WindowIndex{4};
  step.step = StepIndex{7};
  step.timed = true;
  step.phases[index_of(Phase::kInputWait)] = DualTime{Nanos(5), Nanos(0)};
  step.phases[index_of(Phase::kForward)] = DualTime{Nanos(30), Nanos(40)};
  step.phases[index_of(Phase::kTraced)] = DualTime{Nanos(100), Nanos(90)};
  const StepTime both{{}, {{4}, {7}}, Nanos(105), Nanos(90)};
  EXPECT_EQ(step_times_of(std::vector{step}).at(0), both);
  step.phases[index_of(Phase::kForward)]->device = std::nullopt;
  EXPECT_EQ(step_times_of(std::vector{step}).at(0).device, std::nullopt);  // a phase lacks it
  EXPECT_EQ(step_times_of(std::vector{step}).at(0).host, Nanos(105));
  step.timed = false;
  EXPECT_TRUE(step_times_of(std::vector{step}).empty());
}

}  // namespace
}  // namespace traceml
