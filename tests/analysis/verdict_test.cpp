#include "harness/analysis/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace traceml {
namespace {

struct Truth {
  double lower, upper, bound;
  Outcome outcome;
};

TEST(Verdict, truth_table_is_strict_on_both_sides) {
  const double margin = std::log(1.02);
  const double below = std::nextafter(margin, 0.0), above = std::nextafter(margin, 1.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Truth table[] = {
      {-.01, .01, margin, Outcome::kPass},
      {-.01, below, margin, Outcome::kPass},
      {-.01, margin, margin, Outcome::kInconclusive},
      {-.01, above, margin, Outcome::kInconclusive},
      {.01, .03, margin, Outcome::kInconclusive},
      {margin, .03, margin, Outcome::kInconclusive},
      {above, .03, margin, Outcome::kFail},
      {.03, .05, margin, Outcome::kFail},
      {-.02, -.01, 0, Outcome::kPass},
      {-.01, 0, 0, Outcome::kInconclusive},
      {nan, nan, margin, Outcome::kInconclusive},
  };
  for (const Truth& row : table) {
    EXPECT_EQ(three_way(row.lower, row.upper, row.bound), row.outcome)
        << row.lower << " " << row.upper << " " << row.bound;
  }
}

Estimate estimate_of(double theta, double se) {
  return {10, theta, 0.0, Spread{se * std::sqrt(10.), se, 8}};
}

TEST(Verdict, only_a_failure_pays_for_the_number_of_gates) {
  GateRule rule;
  rule.bound = std::log(1.02);
  rule.gates = 2;  // t_8: 2.75152 at alpha / 4, 3.20596 at alpha / 8
  const double se = .001;
  EXPECT_EQ(judge(estimate_of(rule.bound + 3.0 * se, se), rule).outcome, Outcome::kInconclusive);
  EXPECT_EQ(judge(estimate_of(rule.bound + 3.3 * se, se), rule).outcome, Outcome::kFail);
  EXPECT_EQ(judge(estimate_of(rule.bound - 3.0 * se, se), rule).outcome, Outcome::kPass);
  EXPECT_EQ(judge(estimate_of(rule.bound - 2.7 * se, se), rule).outcome, Outcome::kInconclusive);
}

TEST(Verdict, direction_is_told_at_the_level_of_the_look) {
  GateRule rule;
  rule.bound = std::log(1.02);
  EXPECT_EQ(judge(estimate_of(.0028, .001), rule).direction, Direction::kSlower);
  EXPECT_EQ(judge(estimate_of(-.0028, .001), rule).direction, Direction::kFaster);
  EXPECT_EQ(judge(estimate_of(.0027, .001), rule).direction, Direction::kUnresolved);
}

TEST(Verdict, swapped_arms_mirror_every_bound) {
  GateRule rule;
  rule.bound = std::log(1.02);
  rule.gates = 3;
  rule.allowance = {.003, 1};
  const Judgement there = judge(estimate_of(.013, .002), rule);
  const Judgement back = judge(estimate_of(-.013, .002), rule);
  EXPECT_DOUBLE_EQ(back.interval.upper, -there.interval.lower);
  EXPECT_DOUBLE_EQ(back.interval.lower, -there.interval.upper);
  EXPECT_EQ(back.direction, Direction::kFaster);
}

TEST(Verdict, a_margin_inside_the_allowance_can_never_pass) {
  GateRule rule;
  rule.bound = std::log(1.0067);
  rule.allowance = {.003, 1};
  EXPECT_EQ(judge(estimate_of(0, 1e-9), rule).outcome, Outcome::kInconclusive);
  rule.bound = std::log(1.0068);
  EXPECT_EQ(judge(estimate_of(0, 1e-9), rule).outcome, Outcome::kPass);
}

}  // namespace
}  // namespace traceml
