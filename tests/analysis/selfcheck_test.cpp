#include "harness/analysis/selfcheck.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace traceml {
namespace {

using ::testing::IsEmpty;

// In either order by turns; what runs first costs `order`.
LaunchPairs pairs_of(std::initializer_list<double> ratios, double order = 0) {
  LaunchPairs pairs;
  for (const double ratio : ratios) {
    const bool baseline_first = pairs.size() % 2 == 0;
    pairs.push_back({ratio + (baseline_first ? order : -order),
                     baseline_first ? RanFirst::kBaseline : RanFirst::kCandidate});
  }
  return pairs;
}

TEST(VarianceComponents, are_those_that_a_hand_computes) {
  // Means .010, .014, .018 with variance 1.6e-5; within each launch s^2 = 4e-6 (df 2), of which the
  // mean of four pairs has 1e-6.
  const double deviation = std::sqrt(2e-6);  // 4 deviation^2 / 2 = 4e-6
  std::vector<LaunchPairs> launches;
  for (const double mean : {.010, .014, .018}) {
    launches.push_back(
        pairs_of({mean + deviation, mean + deviation, mean - deviation, mean - deviation}, .003));
  }
  const auto found = variance_components(launches);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launches, 3);
  EXPECT_EQ(found->pairs, 12);
  EXPECT_NEAR(found->pair_sd, .002, 1e-12);
  EXPECT_NEAR(found->mean_sd, .004, 1e-12);
  EXPECT_NEAR(found->interaction_sd, std::sqrt(1.6e-5 - 1e-6), 1e-12);
  // chi^2_{.05, 2} = .1025866
  EXPECT_NEAR(found->interaction_sd_upper, std::sqrt(2 * 1.6e-5 / .1025866 - 1e-6), 1e-7);
}

TEST(VarianceComponents, are_floored_at_zero_and_need_two_launches_with_pairs_of_both_orders) {
  const LaunchPairs wide = pairs_of({.02, .02, -.02, -.02});
  const auto found = variance_components({wide, wide});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->interaction_sd, 0);
  EXPECT_GT(found->pair_sd, .02);
  LaunchPairs one_order = wide;
  for (PairDifference& pair : one_order) pair.first = RanFirst::kBaseline;
  EXPECT_FALSE(variance_components({wide}));
  EXPECT_FALSE(variance_components({wide, one_order, {}}));
}

TEST(VarianceComponents, find_what_was_drawn) {
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  std::vector<LaunchPairs> launches(4000);
  for (LaunchPairs& pairs : launches) {
    const double own = .003 * normal(random);
    for (int i = 0; i < 10; ++i) {
      pairs.push_back(
          {own + .009 * normal(random), i % 2 == 0 ? RanFirst::kBaseline : RanFirst::kCandidate});
    }
  }
  const auto found = variance_components(launches);
  EXPECT_NEAR(found->pair_sd, .009, .0002);
  EXPECT_NEAR(found->interaction_sd, .003, .0002);
  EXPECT_GT(found->interaction_sd_upper, found->interaction_sd);
}

EqualRun run_with(Outcome outcome, Direction direction, bool interval = true) {
  EqualRun run;
  GateResult gate;
  gate.outcome = outcome;
  gate.direction = direction;
  gate.look = 6;
  gate.theta = .001;
  if (interval) gate.interval = Interval{-.01, .01};
  run.gates = {gate, gate};
  run.gates[1].outcome = Outcome::kPass;
  run.equal_pairs = {pairs_of({.01, .01, -.01, -.01})};
  return run;
}

std::vector<EqualRun> runs_with(int honest, int slower, int faster) {
  std::vector<EqualRun> runs;
  for (int i = 0; i < honest; ++i) {
    runs.push_back(run_with(Outcome::kPass, Direction::kUnresolved));
  }
  for (int i = 0; i < slower; ++i) runs.push_back(run_with(Outcome::kPass, Direction::kSlower));
  for (int i = 0; i < faster; ++i) runs.push_back(run_with(Outcome::kPass, Direction::kFaster));
  return runs;
}

// Oracle 17 of docs/statistics.md, section 4.
TEST(FalseClaims, of_four_in_twenty_on_one_side_break_the_statistics) {
  EXPECT_EQ(count_claims(runs_with(20, 0, 0), .05).limit, 4);
  EXPECT_EQ(count_claims(runs_with(20, 0, 0), .05).expected, 1);
  EXPECT_FALSE(count_claims(runs_with(14, 3, 3), .05).broken());
  EXPECT_TRUE(count_claims(runs_with(16, 4, 0), .05).broken());
  EXPECT_TRUE(count_claims(runs_with(16, 0, 4), .05).broken());
}

TEST(FalseClaims, count_a_failure_with_those_of_slower_and_once) {
  std::vector<EqualRun> runs = runs_with(16, 2, 0);
  runs.push_back(run_with(Outcome::kFail, Direction::kSlower));
  runs.push_back(run_with(Outcome::kFail, Direction::kUnresolved));
  const FalseClaims claims = count_claims(runs, .05);
  EXPECT_EQ(claims.fail, 2);
  EXPECT_EQ(claims.slower, 4);
  EXPECT_TRUE(claims.broken());
}

TEST(FalseClaims, count_no_run_without_an_interval) {
  std::vector<EqualRun> runs = runs_with(18, 0, 0);
  for (int i = 0; i < 2; ++i) {
    runs.push_back(run_with(Outcome::kInconclusive, Direction::kUnresolved, false));
  }
  EXPECT_EQ(count_claims(runs, .05).runs, 18);
}

TEST(FalseClaims, of_one_run_show_nothing) {
  EXPECT_FALSE(count_claims(runs_with(0, 1, 0), .05).limit);
  EXPECT_FALSE(count_claims(runs_with(0, 1, 0), .05).broken());
  EXPECT_EQ(count_claims(runs_with(3, 0, 0), .05).limit, 2);
}

CampaignFacts facts_of(bool with_plant) {
  CampaignFacts facts;
  facts.arms.resize(3);
  facts.arms[2].name = "shipped-plus-3";
  facts.gates.resize(with_plant ? 2 : 1);
  facts.gates[0].candidate = {1};
  if (with_plant) facts.gates[1].candidate = {2};
  return facts;
}

TEST(Selfcheck, has_an_exit_code_for_each_answer) {
  std::vector<EqualRun> runs = runs_with(20, 0, 0);
  EXPECT_EQ(summarize_selfcheck(facts_of(false), runs, {}).exit_code(), 0);
  EXPECT_EQ(summarize_selfcheck(facts_of(true), runs, {}).exit_code(), 11);  // never found
  for (std::size_t i = 0; i < 10; ++i) runs[i].gates[1].outcome = Outcome::kFail;
  const SelfcheckSummary half = summarize_selfcheck(facts_of(true), runs, {});
  EXPECT_EQ(half.exit_code(), 0);
  ASSERT_EQ(half.plants.size(), 1u);
  EXPECT_EQ(half.plants[0].arm, "shipped-plus-3");
  EXPECT_EQ(half.plants[0].found, 10);
  EXPECT_EQ(half.plants[0].units, 6);
  EXPECT_EQ(summarize_selfcheck(facts_of(true), runs_with(16, 4, 0), {}).exit_code(), 10);
}

TEST(Selfcheck, keeps_what_each_run_said_of_each_arm) {
  std::vector<EqualRun> runs = runs_with(2, 0, 0);
  runs[1].gates[0].theta = std::log(1.01);
  runs[1].gates[0].interval = Interval{std::log(0.99), std::log(1.03)};
  runs[1].gates[0].direction = Direction::kUnresolved;
  runs[0].gates[1].outcome = Outcome::kFail;
  runs[0].gates[1].theta.reset();
  runs[0].gates[1].interval.reset();
  const SelfcheckSummary summary = summarize_selfcheck(facts_of(true), runs, {});
  ASSERT_EQ(summary.arms.size(), 2u);
  ASSERT_EQ(summary.arms[0].runs.size(), 2u);
  EXPECT_NEAR(*summary.arms[0].runs[1].estimate, .01, 1e-12);
  EXPECT_NEAR(*summary.arms[0].runs[1].lower, -.01, 1e-12);
  EXPECT_NEAR(*summary.arms[0].runs[1].upper, .03, 1e-12);
  EXPECT_EQ(summary.arms[1].arm, "shipped-plus-3");
  EXPECT_EQ(summary.arms[1].runs[0].outcome, Outcome::kFail);
  EXPECT_FALSE(summary.arms[1].runs[0].estimate || summary.arms[1].runs[0].lower);
}

TEST(Selfcheck, says_what_one_launch_and_what_several_can_see) {
  const std::vector<EqualRun> runs = runs_with(20, 0, 0);
  CampaignFacts facts = facts_of(false);
  const SelfcheckSummary single = summarize_selfcheck(facts, runs, {.02, .05});
  ASSERT_TRUE(single.noise && single.minimum_detectable);
  const double sd = single.noise->pair_sd;
  EXPECT_EQ(single.noise->interaction_sd, 0);  // equal means
  // 20 blocks, alpha / 4: t_.9875,18 = 2.44501, t_.8,18 = .862048, z_.9875 = 2.241403.
  const double se = sd / std::sqrt(20);
  EXPECT_NEAR(*single.minimum_detectable,
              std::expm1(std::hypot(2.44501 * se, 2.241403 * .003) + .862048 * se), 1e-5);
  EXPECT_NEAR(*single.detectable_with_profile, std::expm1((2.44501 + .862048) * se), 1e-5);
  ASSERT_EQ(single.budgets.size(), 4u);
  EXPECT_FALSE(single.budgets[0].pairs);  // 2 % is the margin
  EXPECT_EQ(single.budgets[2].power, .8);
  ASSERT_TRUE(single.budgets[2].pairs && single.budgets[3].pairs);
  EXPECT_LE(*single.budgets[2].pairs, *single.budgets[3].pairs);
  facts.pooled = true;
  facts.launches = 6;
  facts.max_blocks = 4;
  // t_.9875,5 = 3.16338, t_.8,5 = .919544; a launch of four blocks has sd / 2.
  EXPECT_NEAR(*summarize_selfcheck(facts, runs, {}).minimum_detectable,
              std::expm1((3.16338 + .919544) * sd / 2 / std::sqrt(6)), 1e-4);
}

TEST(Selfcheck, has_no_noise_of_one_launch) {
  const SelfcheckSummary summary = summarize_selfcheck(facts_of(false), runs_with(1, 0, 0), {.05});
  EXPECT_EQ(summary.exit_code(), 11);
  EXPECT_FALSE(summary.noise);
  EXPECT_FALSE(summary.minimum_detectable);
  EXPECT_THAT(summary.budgets, IsEmpty());
}

}  // namespace
}  // namespace traceml
