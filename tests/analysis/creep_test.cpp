#include "harness/analysis/creep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace traceml {
namespace {

using Runs = std::vector<double>;

// All orders of so few runs, counted one by one.
double counted_tail(int runs, std::int64_t rises) {
  Runs order(static_cast<std::size_t>(runs));
  std::iota(order.begin(), order.end(), 0.0);
  std::int64_t all = 0, as_large = 0;
  do {
    std::int64_t sum = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) sum += order[i] > order[j] ? 1 : -1;
    }
    ++all;
    as_large += sum >= rises;
  } while (std::next_permutation(order.begin(), order.end()));
  return static_cast<double>(as_large) / static_cast<double>(all);
}

TEST(KendallTail, IsThatOfAllOrdersCounted) {
  for (int runs = 2; runs <= 7; ++runs) {
    const std::int64_t pairs = runs * (runs - 1) / 2;
    for (std::int64_t rises = -pairs; rises <= pairs; rises += 2) {
      EXPECT_NEAR(kendall_upper_tail(static_cast<std::size_t>(runs), rises),
                  counted_tail(runs, rises), 1e-12)
          << runs << " runs, " << rises;
    }
  }
}

// Kendall's table (Rank Correlation Methods, 1975, table 1).
TEST(KendallTail, IsKendallsTable) {
  EXPECT_NEAR(kendall_upper_tail(10, 21), 0.036, 5e-4);
  EXPECT_NEAR(kendall_upper_tail(8, 16), 0.031, 5e-4);
  EXPECT_NEAR(kendall_upper_tail(9, 20), 0.022, 5e-4);
}

TEST(KendallTail, GoesOnSmoothlyWhereItBecomesNormal) {
  for (const double sds : {1.0, 2.0, 3.0, 4.0}) {
    const auto rises_at = [sds](double n) {
      return static_cast<std::int64_t>(sds * std::sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2) * 2;
    };
    const double exact = kendall_upper_tail(200, rises_at(200));
    const double normal = kendall_upper_tail(201, rises_at(201));
    EXPECT_GE(normal / exact, 0.98) << sds;  // too large far out: too few alarms, none too many
    EXPECT_LE(normal / exact, 1.15) << sds;
  }
}

TEST(CreepLevel, AddsUpToAlphaOverAllNights) {
  double sum = 0;
  for (std::size_t runs = 0; runs < 100'000; ++runs) sum += creep_level(runs, 0.05);
  EXPECT_LE(sum, 0.05);
  EXPECT_GT(sum, 0.0499);
  EXPECT_EQ(creep_level(5, 0.05), 0);
  EXPECT_DOUBLE_EQ(creep_level(6, 0.05), 0.025);
  EXPECT_DOUBLE_EQ(creep_level(10, 0.05), 0.05 / 30);
}

TEST(Creep, OfFewerThanSixRunsIsUnknown) {
  EXPECT_FALSE(creep_of(Runs{1, 2, 3, 4, 5}, 0.05, 1));
}

TEST(Creep, OfARisingSeriesIsItsSlope) {
  const auto creep = creep_of(Runs{0.000, 0.003, 0.006, 0.009, 0.012, 0.015, 0.018}, 0.05, 1);
  ASSERT_TRUE(creep);
  EXPECT_EQ(creep->rises, 21);
  EXPECT_NEAR(creep->p, 1.0 / 5040, 1e-12);
  EXPECT_NEAR(creep->slope, 0.003, 1e-12);
  EXPECT_NEAR(creep->total(), 0.018, 1e-12);
  EXPECT_TRUE(creep->proven);
  // Of seven gates each has a seventh of the level, and p is the same.
  EXPECT_NEAR(creep_of(Runs{0, 1, 2, 3, 4, 5, 6}, 0.05, 7)->level, 0.05 / 6 / 7, 1e-12);
}

TEST(Creep, OfAFallingOrFlatSeriesIsNone) {
  EXPECT_FALSE(creep_of(Runs{7, 6, 5, 4, 3, 2, 1}, 0.05, 1)->proven);
  const auto flat = creep_of(Runs(8, 0.01), 0.05, 1);
  EXPECT_EQ(flat->rises, 0);
  EXPECT_EQ(flat->slope, 0);
  EXPECT_FALSE(flat->proven);
}

// One wild night neither makes a trend nor moves the slope much.
TEST(Creep, IsNotMadeByOneWildNight) {
  Runs runs = {0, .001, -.001, .0005, -.0005, .001, 0, .5};
  const auto creep = creep_of(runs, 0.05, 1);
  EXPECT_FALSE(creep->proven);
  EXPECT_LT(creep->slope, 0.001);
}

TEST(Creep, HasSensInterval) {
  // Hollander and Wolfe: M = (N - C) / 2 with C = k - 2; of 6 runs P(S >= 11) = .028, so that the
  // 3rd and the 13th of 15 slopes bound it.
  const auto creep = creep_of(Runs{0, 2, 1, 4, 3, 5}, 0.05, 1);
  Runs slopes;
  const Runs runs = {0, 2, 1, 4, 3, 5};
  for (std::size_t i = 1; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      slopes.push_back((runs[i] - runs[j]) / static_cast<double>(i - j));
    }
  }
  std::sort(slopes.begin(), slopes.end());
  EXPECT_EQ(creep->slope_90.lower, slopes[2]);
  EXPECT_EQ(creep->slope_90.upper, slopes[12]);
}

// Nights until the first alarm, looked at after each; 0: none within `nights`.
template <class Next>
int first_alarm(int nights, Next next) {
  Runs runs;
  for (int night = 1; night <= nights; ++night) {
    runs.push_back(next(night));
    const auto creep = creep_of(runs, 0.05, 1);
    if (creep && creep->proven) return night;
  }
  return 0;
}

constexpr double kRunSd = 0.002;
constexpr int kReplicates = 2000;

// docs/statistics.md, 2.14: 1.4 % by night 20, 1.5 % by night 100; at most 5 % ever.
TEST(Creep, RaisesAFalseAlarmInAtMostFivePercentOfHistoriesLookedAtEachNight) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, kRunSd);
  int alarms = 0;
  for (int i = 0; i < kReplicates; ++i)
    alarms += first_alarm(30, [&](int) { return noise(random); }) > 0;
  EXPECT_LE(alarms, kReplicates * 0.03);
  EXPECT_GE(alarms, kReplicates * 0.005);  // it can raise one
}

// +0.3 % a night at a run sd of 0.2 %: 98.7 % by night 8, all by night 10.
TEST(Creep, SeesThreeTenthsOfAPercentANightWithinTenNights) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, kRunSd);
  int by_8 = 0, by_10 = 0;
  for (int i = 0; i < kReplicates; ++i) {
    const int night = first_alarm(10, [&](int n) { return 0.003 * n + noise(random); });
    by_8 += night > 0 && night <= 8;
    by_10 += night > 0;
  }
  EXPECT_GE(by_8, kReplicates * 0.97);
  EXPECT_GE(by_10, kReplicates * 0.995);
}

}  // namespace
}  // namespace traceml
