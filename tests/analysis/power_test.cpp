#include "harness/analysis/power.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "harness/analysis/quantiles.h"

namespace traceml {
namespace {

// A row of the table of docs/statistics.md, 3.5: pairs for distances of 1, 2 and 3 %.
struct Row {
  double sd;
  std::array<int, 3> at_80, at_90;
};

TEST(Power, gives_every_cell_of_the_table_of_pairs) {
  const Row rows[] = {{.007, {6, 4, 4}, {8, 4, 4}},
                      {.010, {8, 4, 4}, {12, 6, 4}},
                      {.0141, {14, 6, 4}, {20, 8, 6}},
                      {.020, {28, 8, 6}, {36, 12, 6}},
                      {.0283, {52, 14, 8}, {70, 20, 10}}};
  for (const Row& row : rows) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double distance = .01 * static_cast<double>(d + 1);
      SCOPED_TRACE("sd " + std::to_string(row.sd) + ", D " + std::to_string(distance));
      EXPECT_EQ(units_needed(kPairs, row.sd, distance, .05, .8), row.at_80[d]);
      EXPECT_EQ(units_needed(kPairs, row.sd, distance, .05, .9), row.at_90[d]);
    }
  }
}

TEST(Power, is_that_of_simulated_looks) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  constexpr int kReplicates = 20000, kPairsOfALook = 14;
  constexpr double kSd = .0141, kDistance = .01;
  std::chi_squared_distribution<double> chi_squared(kPairsOfALook - 2);
  const double critical = student_quantile(.05, kPairsOfALook - 2);
  const double se = kSd / std::sqrt(kPairsOfALook);
  int told = 0;
  for (int i = 0; i < kReplicates; ++i) {
    const double estimate = kDistance + se * normal(random);
    const double seen = se * std::sqrt(chi_squared(random) / (kPairsOfALook - 2));
    told += estimate > critical * seen ? 1 : 0;
  }
  const double power = power_of(kPairsOfALook, kPairs, kSd, kDistance, .05);
  EXPECT_NEAR(power, static_cast<double>(told) / kReplicates, .01);
  EXPECT_GE(power, .8);
  EXPECT_LT(power_of(kPairsOfALook - 2, kPairs, kSd, kDistance, .05), .8);
}

TEST(Power, never_tells_an_effect_that_is_the_margin) {
  EXPECT_FALSE(units_needed(kPairs, .01, distance_to_margin(.02, .02), .05, .8));
  EXPECT_FALSE(units_needed(kPairs, 10, 1e-6, .05, .8));
  EXPECT_NEAR(distance_to_margin(.02, .01), std::log(1.02 / 1.01), 1e-12);
  EXPECT_EQ(distance_to_margin(.02, .01), distance_to_margin(.01, .02));
}

TEST(Power, of_launches_counts_each_of_them_from_six_on) {
  EXPECT_EQ(units_needed(kLaunchesAsUnits, .001, .05, .05, .9), 6);
  const auto needed = units_needed(kLaunchesAsUnits, .01, .01, .05, .8);
  ASSERT_TRUE(needed);
  EXPECT_GE(power_of(*needed, kLaunchesAsUnits, .01, .01, .05), .8);
  EXPECT_LT(power_of(*needed - 1, kLaunchesAsUnits, .01, .01, .05), .8);
}

}  // namespace
}  // namespace traceml
