#include "harness/analysis/wait_rhythm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Steps = std::vector<std::int64_t>;

std::vector<StepKey> in_window(std::int64_t window, const Steps& steps) {
  std::vector<StepKey> keys;
  for (const std::int64_t step : steps) keys.push_back({WindowIndex{window}, StepIndex{step}});
  return keys;
}

Steps every(std::int64_t period, std::int64_t first, std::int64_t end) {
  Steps steps;
  for (std::int64_t step = first; step < end; step += period) steps.push_back(step);
  return steps;
}

std::optional<WaitRhythm> rhythm_of(const Steps& waits) {
  return dominant_interval(intervals_between(in_window(0, waits)));
}

TEST(WaitRhythm, finds_planted_stalls_of_any_period) {
  for (const std::int64_t period : {1, 2, 3, 8, 32}) {
    for (const std::int64_t first : {0, 1, 5}) {
      const auto found = rhythm_of(every(period, first, first + 20 * period));
      EXPECT_EQ(found, (WaitRhythm{period, 19, 19})) << period << " from " << first;
    }
  }
}

TEST(WaitRhythm, bears_stalls_that_came_late_or_did_not_come) {
  Steps waits = every(8, 3, 320);   // 40 of them
  waits[10] += 1;                   // two intervals of other lengths
  waits.erase(waits.begin() + 20);  // two become one of 16 steps
  EXPECT_EQ(rhythm_of(waits), (WaitRhythm{8, 35, 38}));
}

TEST(WaitRhythm, counts_no_interval_from_window_to_window) {
  std::vector<StepKey> waits;
  for (std::int64_t window = 0; window < 6; ++window) {
    for (const StepKey& key : in_window(window, {4, 12, 20})) waits.push_back(key);
  }
  const Steps intervals = intervals_between(waits);
  EXPECT_EQ(intervals, Steps(12, 8));
  EXPECT_EQ(dominant_interval(intervals), (WaitRhythm{8, 12, 12}));
}

TEST(WaitRhythm, is_none_without_waits_or_with_few) {
  EXPECT_THAT(intervals_between({}), IsEmpty());
  EXPECT_EQ(rhythm_of({}), std::nullopt);
  EXPECT_EQ(rhythm_of({7}), std::nullopt);
  EXPECT_EQ(rhythm_of(every(8, 0, 64)), std::nullopt) << "seven intervals";
  EXPECT_TRUE(rhythm_of(every(8, 0, 72))) << "eight";
}

TEST(WaitRhythm, is_none_where_no_interval_has_more_than_half) {
  Steps half;
  for (std::int64_t at = 0; half.size() < 21; at += half.size() % 2 == 0 ? 3 : 5)
    half.push_back(at);
  ASSERT_THAT(Steps(half.begin(), half.begin() + 4), ElementsAre(0, 5, 8, 13));
  EXPECT_EQ(rhythm_of(half), std::nullopt);
}

TEST(WaitRhythm, of_chance_is_rare_and_never_longer_than_a_step) {
  std::mt19937_64 random(7);
  int longer = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const double density = 0.05 + 0.9 * static_cast<double>(trial) / 2000;
    Steps waits;
    for (std::int64_t step = 0; step < 240; ++step) {
      if (std::uniform_real_distribution<>(0, 1)(random) < density) waits.push_back(step);
    }
    const auto found = rhythm_of(waits);
    longer += found && found->steps > 1 ? 1 : 0;
  }
  EXPECT_LE(longer, 2);
}

}  // namespace
}  // namespace traceml
