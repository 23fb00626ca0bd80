#include "harness/analysis/launch_pool.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "harness/analysis/gate_replay.h"
#include "tests/analysis/two_arms.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;

constexpr int kBlocks = 4;

CampaignFacts facts_of_one(const synthetic::Campaign& campaign, int launches = 20) {
  CampaignFacts facts = synthetic::facts_of(campaign);
  facts.launches = launches;
  facts.looks = {kBlocks};
  facts.max_blocks = kBlocks;
  return facts;
}

struct Pool {
  CampaignFacts facts;
  std::vector<RankRecords> records;

  CampaignSummary summary() const { return summarize_campaign(facts, records); }
};

// Launches whose candidates take so long a step against a baseline of 100 ms.
Pool pool_of(const std::vector<double>& candidates_ms, double delta = .02, double noise = 0,
             std::uint64_t seed = 1) {
  Pool pool;
  for (std::size_t i = 0; i < candidates_ms.size(); ++i) {
    synthetic::Campaign campaign = two_arms(candidates_ms[i], delta);
    campaign.blocks = kBlocks;
    campaign.noise = noise;
    campaign.seed = seed * 1000 + i;
    campaign.with_steps = noise == 0;
    campaign.warmup_ms.assign(campaign.with_steps ? 4 : 0, 100);
    const CampaignFacts facts = facts_of_one(campaign);
    pool.facts = facts_over_launches(facts);
    append_launch(facts, static_cast<int>(i), synthetic::records_of(campaign), &pool.records);
  }
  return pool;
}

TEST(LaunchPool, are_the_units_of_a_plain_t) {
  // By hand: d = ln(candidate / 100), mean and sd of six of them, t_{.9875, 5} = 3.163381.
  const std::vector<double> times = {101, 102, 103, 101.5, 102.5, 103.5};
  const CampaignSummary summary = pool_of(times).summary();
  const GateResult& gate = summary.gates.at(0);
  double mean = 0, squares = 0;
  for (const double time : times) mean += std::log(time / 100) / 6;
  for (const double time : times) squares += std::pow(std::log(time / 100) - mean, 2);
  const double half = 3.163381 * std::sqrt(squares / 5) / std::sqrt(6);
  EXPECT_NEAR(*gate.theta, mean, 1e-6);
  EXPECT_NEAR(gate.interval->lower, mean - half, 1e-6);
  EXPECT_NEAR(gate.interval->upper, mean + half, 1e-6);
  EXPECT_EQ(gate.launches, 6);
  EXPECT_EQ(gate.blocks, 24);
  EXPECT_FALSE(gate.order_effect);
  EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
  EXPECT_EQ(gate.reason, Reason::kBorderline);
}

TEST(LaunchPool, that_differ_by_the_effect_of_one_launch_decide_nothing_that_blocks_would) {
  // Each launch has a shift of its own and no noise in it: 24 blocks would call the mean certain.
  const std::vector<double> times = {99, 103, 98, 104, 100, 102};
  const CampaignSummary summary = pool_of(times, .01).summary();
  EXPECT_EQ(summary.gates.at(0).outcome, Outcome::kInconclusive);
  EXPECT_EQ(summary.gates.at(0).reason, Reason::kWideInterval);
}

TEST(LaunchPool, pass_a_margin_that_one_launch_can_never_pass) {
  const CampaignSummary summary =
      pool_of({100.01, 99.99, 100.02, 99.98, 100, 100.01}, .003).summary();
  EXPECT_EQ(summary.gates.at(0).outcome, Outcome::kPass);
  EXPECT_EQ(summary.gates.at(0).look, 6);
  EXPECT_EQ(summary.exit_code, 0);
}

TEST(LaunchPool, are_looked_at_after_6_10_14_and_20) {
  std::vector<double> times = {100, 104, 100, 104, 100, 104, 103};  // open at 6
  times.resize(9, 103);
  EXPECT_EQ(pool_of(times).summary().gates.at(0).launches, 6);  // 7 to 9 are no look
  times.resize(10, 103);
  EXPECT_EQ(pool_of(times).summary().gates.at(0).launches, 10);
  EXPECT_EQ(looks_of(pool_of(times).facts), (std::vector<int>{6, 10, 14, 20}));
  const Pool slower = pool_of({104, 104, 104, 104, 104, 104, 100, 100, 100, 100});
  EXPECT_EQ(slower.summary().gates.at(0).look, 6);  // closed there, whatever comes later
  EXPECT_EQ(slower.summary().exit_code, 10);
  EXPECT_TRUE(decide_at_look(slower.facts, slower.records, 6).stop);
  EXPECT_FALSE(decide_at_look(pool_of(times).facts, pool_of(times).records, 6).stop);
}

TEST(LaunchPool, fewer_than_six_never_decide) {
  const CampaignSummary summary = pool_of({200, 200, 200, 200, 200}).summary();
  EXPECT_EQ(summary.exit_code, 11);
  EXPECT_EQ(summary.gates.at(0).reason, Reason::kTooFewUnits);
  EXPECT_EQ(summary.gates.at(0).why, "5 launches are finished; the first verdict needs 6");
  EXPECT_EQ(summary.gates.at(0).launches, 5);
}

TEST(LaunchPool, one_of_several_has_no_verdict_of_its_own) {
  synthetic::Campaign campaign = two_arms(200);
  campaign.blocks = kBlocks;
  const CampaignFacts facts = facts_of_one(campaign, 6);
  const CampaignSummary summary = summarize_campaign(facts, synthetic::records_of(campaign));
  EXPECT_EQ(summary.exit_code, 11);
  EXPECT_EQ(summary.gates.at(0).why, "this is one of 6 launches, which are judged together");
  EXPECT_NEAR(*summary.gates.at(0).theta, std::log(2), .01);
  EXPECT_TRUE(decide_at_look(facts, synthetic::records_of(campaign), kBlocks).stop);
}

TEST(LaunchPool, with_a_voided_block_are_void_as_a_whole) {
  Pool pool = pool_of({104, 104, 104, 104, 104, 104, 104, 104, 104, 104});
  const auto void_block = [&](int block) {
    for (WindowRecord& window : pool.records[0].windows) {
      if (window.block == block) window.void_reason = "throttled";
    }
  };
  void_block(5);  // of launch 2
  const CampaignSummary one = pool.summary();
  EXPECT_FALSE(one.launches.at(1).thetas.at(0));
  EXPECT_TRUE(one.launches.at(2).thetas.at(0));
  EXPECT_EQ(one.gates.at(0).look, 10);  // at 6 only five are valid
  EXPECT_EQ(one.gates.at(0).launches, 9);
  EXPECT_EQ(one.exit_code, 10);
  void_block(9);
  void_block(13);
  EXPECT_EQ(pool.summary().gates.at(0).why, "3 of 10 launches are void, more than 20 %");
}

TEST(LaunchPool, have_rows_of_their_own_and_tables_over_all) {
  const CampaignSummary summary = pool_of({101, 102, 103, 104, 105, 106}).summary();
  ASSERT_EQ(summary.launches.size(), 6U);
  EXPECT_EQ(summary.launches[3].number, 4);
  EXPECT_EQ(summary.launches[3].blocks, kBlocks);
  EXPECT_NEAR(summary.launches[3].walls.at(0)->count(), 104, 1e-6);
  EXPECT_NEAR(summary.launches[3].walls.at(1)->count(), 100, 1e-6);
  EXPECT_NEAR(*summary.launches[3].thetas.at(0), std::log(1.04), 1e-6);
  EXPECT_EQ(summary.blocks, 24);
  EXPECT_EQ(summary.arms.at(0).windows, 24);
  EXPECT_NEAR(summary.arms.at(0).wall_per_step->count(), 103.5, 1e-6);
  EXPECT_EQ(summary.arms.at(0).step_distribution->count, 24 * 8);
  EXPECT_THAT(summary.warnings, ::testing::IsEmpty());
}

TEST(LaunchPool, leave_the_warm_up_to_the_first) {
  const Pool pool = pool_of({101, 102});
  std::int64_t warm_up = 0;
  for (const StepRecord& step : pool.records.at(0).steps) warm_up += step.window ? 0 : 1;
  EXPECT_EQ(warm_up, 2 * 4);  // of two arms, once
  EXPECT_EQ(pool.records[0].windows.back().window, WindowIndex{15});
  EXPECT_EQ(pool.records[0].windows.back().block, 7);
}

TEST(LaunchPool, a_rank_without_its_windows_is_named_as_missing) {
  Pool pool = pool_of({104, 104, 104, 104, 104, 104});
  std::erase_if(pool.records[0].windows,
                [](const WindowRecord& window) { return window.block == 6; });
  const CampaignSummary summary = pool.summary();
  EXPECT_EQ(summary.gates.at(0).reason, Reason::kMissingRank);
  EXPECT_TRUE(decide_at_look(pool.facts, pool.records, 6).stop == false || summary.exit_code == 11);
}

TEST(LaunchPool, a_bad_time_is_named_by_launch_and_block) {
  Pool pool = pool_of({104, 104, 104, 104, 104, 104});
  pool.records[0].windows[2 * 2 * kBlocks + 3].end_host = Nanos{0};  // launch 3, block 1
  const GateResult gate = pool.summary().gates.at(0);
  EXPECT_EQ(gate.reason, Reason::kNonfiniteOrNonpositiveTime);
  EXPECT_THAT(gate.why, HasSubstr("launch 3, block 1"));
}

// docs/statistics.md, 2.7: an interaction of 0.3 % between launch and arm, a true effect at the
// margin. Wrong verdicts: alpha = 5 % each at most, and three standard errors of 600 campaigns.
TEST(LaunchPool, keep_their_error_rates_where_launches_differ_by_themselves) {
  constexpr int kCampaigns = 600;
  std::mt19937_64 random(20261129);
  std::normal_distribution<double> shift(0, .003);
  int passes = 0, fails = 0;
  for (int i = 0; i < kCampaigns; ++i) {
    std::vector<double> times;
    for (int launch = 0; launch < 20; ++launch) times.push_back(101 * std::exp(shift(random)));
    const Pool pool = pool_of(times, .01, .002, static_cast<std::uint64_t>(i) + 1);
    const LookDecision last = decide_at_look(pool.facts, pool.records, 20);
    passes += last.gates.at(0).outcome == Outcome::kPass;
    fails += last.gates.at(0).outcome == Outcome::kFail;
  }
  EXPECT_LE(passes, .0767 * kCampaigns);
  EXPECT_LE(fails, .0767 * kCampaigns);
  EXPECT_GE(passes + fails, 5);  // the verdicts are taken at all
}

}  // namespace
}  // namespace traceml
