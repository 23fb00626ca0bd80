// Distribution, steadiness, stragglers: the smaller parts of a summary.

#include <gtest/gtest.h>

#include "harness/analysis/distribution.h"
#include "harness/analysis/steadiness.h"
#include "harness/analysis/stragglers.h"
#include "tests/analysis/synthetic_campaign.h"

namespace traceml {
namespace {

TEST(Distribution, percentiles_interpolate_between_order_statistics) {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const Distribution result = distribution_of(values).value();
  EXPECT_EQ(result.count, 101);
  EXPECT_DOUBLE_EQ(result.mean.count(), 50);
  EXPECT_DOUBLE_EQ(result.median.count(), 50);
  EXPECT_DOUBLE_EQ(result.p5.count(), 5);
  EXPECT_DOUBLE_EQ(result.p95.count(), 95);
  EXPECT_DOUBLE_EQ(result.p99.count(), 99);
  EXPECT_DOUBLE_EQ(result.min.count(), 0);
  EXPECT_DOUBLE_EQ(result.max.count(), 100);
  EXPECT_DOUBLE_EQ(distribution_of({1, 2})->median.count(), 1.5);
  EXPECT_FALSE(distribution_of({}));
}

TEST(Distribution, outliers_lie_outside_three_interquartile_ranges) {
  // Quartiles 2 and 4, fences -4 and 10.
  EXPECT_EQ(count_outliers({1, 2, 3, 4, 10}), 0);
  EXPECT_EQ(count_outliers({1, 2, 3, 4, 10.5}), 1);
  EXPECT_EQ(count_outliers({1, 100, 10000}), 0);
}

std::vector<WindowSeries> series(int windows, double first_excess) {
  std::vector<WindowSeries> result;
  for (int w = 0; w < windows; ++w) {
    WindowSeries own{{w}, {}};
    for (int i = 0; i < 12; ++i) {
      const double wobble = 0.1 * ((w + i) % 3);
      own.steps_ms.push_back(100 + wobble + (i < 4 ? first_excess : 0));
    }
    result.push_back(own);
  }
  return result;
}

TEST(Steadiness, a_slow_start_in_every_window_is_flagged_against_half_the_margin) {
  const auto steady = steadiness_of(series(6, 3), series(6, 3), 1).value();
  EXPECT_EQ(steady.units, 12);
  EXPECT_NEAR(steady.mean, std::log(1.03), 2e-3);
  EXPECT_TRUE(steady.flagged(.02));
  EXPECT_FALSE(steady.flagged(.20));  // far inside half of a 20 % margin
  EXPECT_FALSE(steadiness_of(series(6, 0), series(6, 0), 1)->flagged(.02));
}

TEST(Steadiness, thirds_are_whole_stall_periods) {
  // Thirds of one 4-step period: a stall at each period's start changes nothing.
  std::vector<WindowSeries> windows = series(6, 0);
  for (WindowSeries& window : windows) {
    for (std::size_t i = 0; i < window.steps_ms.size(); i += 4) window.steps_ms[i] += 50;
  }
  const auto steady = steadiness_of(windows, {}, 4).value();
  EXPECT_NEAR(steady.mean, 0, 1e-3);
  EXPECT_FALSE(steadiness_of(windows, {}, 5));  // 12 steps hold no three periods of 5
}

TEST(Steadiness, a_first_period_odd_in_one_arm_only_is_carried_over) {
  EXPECT_TRUE(carry_over_of(series(6, 3), series(6, 0), 4)->clear);
  EXPECT_NEAR(carry_over_of(series(6, 3), series(6, 0), 4)->difference, .0296, 5e-4);
  EXPECT_FALSE(carry_over_of(series(6, 3), series(6, 3), 4)->clear);
  EXPECT_FALSE(carry_over_of(series(1, 3), series(6, 0), 4));
}

struct AllReduces {
  CampaignFacts facts;
  std::vector<RankRecords> ranks;
  std::vector<const RankRecords*> slots;
  std::vector<WindowIndex> valid;

  AllReduceTally tally() const { return tally_all_reduces(facts, ArmIndex{0}, slots, valid); }
};

AllReduces all_reduces(std::vector<double> late_ms) {
  synthetic::Campaign campaign;
  campaign.arms = {synthetic::Arm{}};
  campaign.world_size = static_cast<int>(late_ms.size());
  campaign.late_ms = std::move(late_ms);
  campaign.with_steps = true;
  campaign.blocks = 10;
  AllReduces result{synthetic::facts_of(campaign), synthetic::records_of(campaign), {}, {}};
  for (const RankRecords& rank : result.ranks) result.slots.push_back(&rank);
  for (std::int64_t w = 0; w < 10; ++w) result.valid.push_back({w});
  return result;
}

TEST(Stragglers, the_rank_that_waits_least_arrived_last) {
  const AllReduces run = all_reduces({0, 20, 5});
  const AllReduceTally tally = run.tally();
  EXPECT_EQ(tally.last.size(), 80u);  // settle steps are left out
  EXPECT_EQ(last_steps_of(tally, Rank{1}), 80);
  EXPECT_EQ(last_steps_of(tally, Rank{0}), 0);
  EXPECT_DOUBLE_EQ(tally.caused_ms[0], 17.5);  // the others waited 20 and 15 ms longer
  const auto named = name_stragglers(tally, "shipped", Millis(100));
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].rank, Rank{1});
  EXPECT_EQ(named[0].last_steps, 80);
  EXPECT_TRUE(named[0].recurring);
}

TEST(Stragglers, a_wait_that_costs_nothing_names_nobody) {
  const AllReduces run = all_reduces({0, 0.9});
  EXPECT_TRUE(name_stragglers(run.tally(), "shipped", Millis(100)).empty());
  EXPECT_EQ(name_stragglers(run.tally(), "shipped", Millis(80)).size(), 1u);
}

TEST(Stragglers, equal_arrivals_make_nobody_the_last) {
  const AllReduceTally tally = all_reduces({0, 0}).tally();
  EXPECT_EQ(last_steps_of(tally, Rank{0}) + last_steps_of(tally, Rank{1}), 0);
}

// The others wait 20 ms longer than the rank that `last_of` names for a window and a step.
template <typename LastOf>
AllReduces all_reduces_with(int world_size, LastOf last_of) {
  AllReduces run = all_reduces(std::vector<double>(static_cast<std::size_t>(world_size), 0.0));
  for (RankRecords& rank : run.ranks) {
    for (CollectiveRecord& record : rank.collectives) {
      const int last = last_of(record.window->value, record.step.value);
      record.arrival = *record.end - std::chrono::milliseconds(rank.rank.value == last ? 1 : 21);
    }
  }
  return run;
}

TEST(Stragglers, taking_turns_is_chance) {
  const AllReduces run = all_reduces_with(
      2, [](std::int64_t, std::int64_t step) { return static_cast<int>(step % 2); });
  EXPECT_EQ(last_steps_of(run.tally(), Rank{0}), 40);
  EXPECT_TRUE(name_stragglers(run.tally(), "shipped", Millis(100)).empty());
}

TEST(Stragglers, a_bad_stretch_in_a_minority_of_windows_is_one_off) {
  const AllReduces run = all_reduces_with(4, [](std::int64_t window, std::int64_t step) {
    if (window >= 6) return 1;
    return step == 1 ? 1 : static_cast<int>(step % 2) * 3;
  });
  const auto named = name_stragglers(run.tally(), "shipped", Millis(100));
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].rank, Rank{1});
  EXPECT_EQ(named[0].last_steps, 38);
  EXPECT_EQ(named[0].of_steps, 80);
  EXPECT_FALSE(named[0].recurring);
}

TEST(Stragglers, a_bucket_that_one_rank_lacks_is_left_out_for_all) {
  AllReduces run = all_reduces({0, 20});
  run.ranks[1].collectives[5].end = std::nullopt;
  EXPECT_EQ(run.tally().last.size(), 79u);
  run.slots[0] = nullptr;
  EXPECT_TRUE(run.tally().last.empty());
}

}  // namespace
}  // namespace traceml
