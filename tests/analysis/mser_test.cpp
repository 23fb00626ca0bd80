#include "harness/analysis/mser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/analysis/two_arms.h"

namespace traceml {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kWarmup = 16;
constexpr std::size_t kWindow = 48;

struct Series {
  std::vector<double> warmup;
  std::vector<WindowSeries> windows;
};

// Ten windows after the warm-up; `relative(i)` is the time of step i without its noise of 2 %.
template <typename Relative>
Series series_of(std::uint64_t seed, Relative relative) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(1, .02);
  Series series;
  std::size_t step = 0;
  for (; step < kWarmup; ++step) series.warmup.push_back(relative(step) * normal(random));
  for (std::int64_t window = 0; window < 10; ++window) {
    series.windows.push_back({WindowIndex{window}, {}});
    for (std::size_t i = 0; i < kWindow; ++i, ++step) {
      series.windows.back().steps_ms.push_back(relative(step) * normal(random));
    }
  }
  return series;
}

std::optional<WarmupSuggestion> suggested(const Series& series, int period) {
  return longer_warmup(series.warmup, series.windows, period);
}

double decay(std::size_t step, double by, double over) {
  return 1 + by * std::exp(-static_cast<double>(step) / over);
}

TEST(Mser, leaves_out_the_front_that_differs_and_at_most_half) {
  EXPECT_EQ(mser_cut(std::vector<double>{9, 8, 1, 2, 1, 2, 1, 2}), 2u);
  EXPECT_EQ(mser_cut(std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2}), 0u);
  EXPECT_EQ(mser_cut(std::vector<double>{5, 5, 5, 5}), 0u);
  EXPECT_EQ(mser_cut(std::vector<double>{9, 8, 7, 6, 5, 1, 1, 1}), 4u);
  EXPECT_EQ(mser_cut(std::vector<double>{7}), 0u);
  EXPECT_EQ(mser_cut({}), 0u);
}

TEST(LongerWarmup, is_suggested_for_steps_that_settle_after_the_windows_began) {
  const Series series = series_of(1, [](std::size_t step) { return decay(step, .3, 30); });
  for (const int period : {1, 8}) {
    const auto longer = suggested(series, period);
    ASSERT_TRUE(longer) << period;
    EXPECT_GT(longer->steps, 40) << period;
    EXPECT_LT(longer->steps, 150) << period;
    EXPECT_EQ(longer->steps % period, 0) << period;
    EXPECT_GT(longer->difference, .01) << period;
    EXPECT_FALSE(longer->at_least) << period;
  }
}

TEST(LongerWarmup, is_not_suggested_where_the_warmup_has_the_slow_steps) {
  const Series series = series_of(2, [](std::size_t step) { return decay(step, 2, 2); });
  EXPECT_FALSE(suggested(series, 1));
}

// A stall every 8 steps, one spike, and windows that are each a little faster or slower.
TEST(LongerWarmup, is_rarely_suggested_for_steady_steps) {
  int suggestions = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(1000 + seed);
    std::normal_distribution<double> normal(1, .02);
    std::vector<double> level(12);
    for (double& value : level) value = normal(random);
    const auto relative = [&](std::size_t step) {
      const double stall = step % 8 == 0 ? .3 : 0;
      const double spike = step == 40 ? 2 : 0;
      return level[(step + kWindow - kWarmup) / kWindow] + stall + spike;
    };
    suggestions += suggested(series_of(seed, relative), 8).has_value();
  }
  EXPECT_LE(suggestions, 20);  // of 200; without the noise of windows about 60
}

TEST(LongerWarmup, needs_three_windows_after_it) {
  Series series = series_of(1, [](std::size_t step) { return decay(step, .3, 30); });
  series.windows.resize(4);
  EXPECT_FALSE(suggested(series, 1));
  EXPECT_FALSE(longer_warmup({}, {}, 1));
}

TEST(LongerWarmup, is_a_warning_of_the_arm_and_no_reason) {
  synthetic::Campaign campaign = two_arms(100);
  campaign.with_steps = true;
  campaign.steps = 48;
  campaign.noise = .0005;
  campaign.warmup_ms = std::vector<double>(16, 130);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  int slow = 0;  // the candidate's first timed steps are still slow
  for (StepRecord& step : ranks[0].steps) {
    if (step.arm != ArmIndex{0} || !step.timed || ++slow > 24) continue;
    step.phases[index_of(Phase::kTraced)]->host = synthetic::detail::nanos(130);
  }
  const CampaignSummary summary = summarize_campaign(synthetic::facts_of(campaign), ranks);
  EXPECT_THAT(summary.warnings,
              Contains(HasSubstr("shipped: MSER puts the end of the warm-up at step 40, and 16 "
                                 "were warm-up; the timed steps before it differ by +30.")));
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("try measure.warmup_steps: 40")));
  EXPECT_THAT(summary.warnings, Each(Not(HasSubstr("baseline: MSER"))));
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kPass);
}

}  // namespace
}  // namespace traceml
