// The tables and sentences of a summary beside its verdict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/error.h"
#include "tests/analysis/two_arms.h"

namespace traceml {
namespace {

using synthetic::Campaign;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CampaignTables, arms_of_different_batches_are_compared_per_image) {
  Campaign campaign = two_arms(200);
  campaign.arms[0].global_batch = 128;  // twice the images in twice the time
  const GateResult gate = summarize(campaign).gates[0];
  EXPECT_NEAR(gate.theta.value(), 0, .01);
  EXPECT_EQ(gate.outcome, Outcome::kPass);
  EXPECT_FALSE(gate.mean_difference);
}

TEST(CampaignTables, the_wall_of_a_window_is_that_of_its_slowest_rank) {
  Campaign campaign = two_arms(100);
  campaign.noise = 0;
  campaign.world_size = 2;
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (WindowRecord& window : ranks[0].windows) {
    if (window.arm == ArmIndex{0}) window.end_host += std::chrono::milliseconds(80);  // 10 a step
  }
  const CampaignSummary summary = summarize_campaign(synthetic::facts_of(campaign), ranks);
  EXPECT_NEAR(summary.arms[0].wall_per_step->count(), 110, 1e-9);
  EXPECT_NEAR(summary.arms[0].ranks[1].wall_per_step->count(), 100, 1e-9);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kFail);
}

TEST(CampaignTables, an_overhead_gate_tells_each_ranks_own_cost) {
  Campaign campaign = two_arms(101);
  campaign.noise = 0;
  campaign.world_size = 2;
  campaign.gates = {synthetic::gate(GateKind::kMaxOverhead, 0, 1, .05)};
  campaign.arms[1].instrument = Instrument::kNone;
  campaign.with_steps = true;
  const CampaignSummary summary = summarize(campaign);
  const GateResult& gate = summary.gates[0];
  ASSERT_TRUE(gate.per_rank_difference);
  ASSERT_EQ(gate.per_rank_difference->size(), 2u);
  EXPECT_NEAR((*gate.per_rank_difference)[1].second.count(), 1, 1e-9);
  EXPECT_TRUE(gate.where.empty());  // the bare arm has no table
  EXPECT_FALSE(summary.arms[1].clock);
  EXPECT_FALSE(summary.arms[1].global.step_cpu);
  EXPECT_TRUE(summary.arms[1].wall_per_step);
  EXPECT_THAT(gate.differing_keys, ElementsAre("measure.instrument: events against none"));
}

TEST(CampaignTables, where_names_the_phase_that_grew) {
  Campaign campaign = two_arms(112);
  campaign.arms[0].input_wait_ms = 12.5;
  campaign.with_steps = true;
  const CampaignSummary summary = summarize(campaign);
  const GateResult& gate = summary.gates[0];
  ASSERT_FALSE(gate.where.empty());
  EXPECT_EQ(gate.where[0].what, "input_wait");
  EXPECT_NEAR(gate.where[0].difference.count(), 12, 1e-6);
  EXPECT_EQ(gate.outside_step, "");
  EXPECT_EQ(summary.arms[0].long_waits.count, 160);
  EXPECT_NEAR(summary.arms[0].long_waits.longest.count(), 12.5, 1e-6);
}

TEST(CampaignTables, a_difference_outside_the_step_is_said_in_a_sentence) {
  Campaign campaign = two_arms(110);
  campaign.noise = 0;
  campaign.arms[0].outside_ms = 10;
  campaign.with_steps = true;
  const GateResult gate = summarize(campaign).gates[0];
  EXPECT_EQ(gate.outcome, Outcome::kFail);
  EXPECT_EQ(gate.where[0].what, "outside");
  EXPECT_NEAR(gate.where[0].difference.count(), 10, 1e-6);
  EXPECT_THAT(gate.outside_step, HasSubstr("the difference lies outside the step: +10.000 ms"));
}

TEST(CampaignTables, an_arm_is_summed_up_over_ranks_windows_and_clocks) {
  Campaign campaign = two_arms(100);
  campaign.noise = 0;
  campaign.world_size = 2;
  campaign.arms[0].reference = 1;
  campaign.arms[1].step_ms = 95;
  campaign.arms[1].input_free = true;
  campaign.with_steps = true;
  campaign.with_device_times = true;
  campaign.late_ms = {0, 20};
  const CampaignSummary summary = summarize(campaign);
  const ArmSummary& arm = summary.arms[0];
  EXPECT_EQ(arm.clock, Clock::kGpu);
  EXPECT_NEAR(arm.global.step_cpu->count(), 100, 1e-6);
  EXPECT_NEAR(arm.global.step_gpu->count(), 50, 1e-6);
  EXPECT_NEAR(arm.global.outside->count(), 0, 1e-6);
  EXPECT_NEAR(arm.step_distribution->median.count(), 50, 1e-6);
  EXPECT_EQ(arm.step_distribution->count, 160);
  EXPECT_EQ(arm.window_distribution->count, 20);
  EXPECT_NEAR(arm.images_per_s.value(), 640, 1e-6);
  EXPECT_NEAR(arm.fraction_of_reference.value(), .95, 1e-9);
  EXPECT_EQ(summary.arms[1].fraction_of_reference, 1.0);
  ASSERT_EQ(arm.ranks.size(), 2u);
  EXPECT_EQ(arm.ranks[1].coverage, "160/160");
  EXPECT_EQ(arm.ranks[1].last_at_all_reduce, 160);
  EXPECT_EQ(arm.ranks[1].all_reduce_steps, 160);
  ASSERT_EQ(summary.stragglers.size(), 2u);  // in both arms
  EXPECT_EQ(summary.stragglers[0].rank, Rank{1});
  EXPECT_EQ(summary.blocks, 20);
}

TEST(CampaignTables, records_of_another_plan_do_not_crash) {
  Campaign campaign = two_arms(100);
  campaign.with_steps = true;
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  ranks[0].windows[3].arm = ArmIndex{7};
  ranks[0].windows[4].block = -1;
  ranks[0].steps[0].arm = ArmIndex{-2};
  ranks.push_back(ranks[0]);
  ranks.back().rank = Rank{5};
  const CampaignSummary summary = summarize_campaign(synthetic::facts_of(campaign), ranks);
  EXPECT_EQ(summary.outcome, Outcome::kInconclusive);
  EXPECT_FALSE(summary.warnings.empty());
  EXPECT_EQ(summarize_campaign(synthetic::facts_of(campaign), {}).exit_code, 11);
  CampaignFacts facts = synthetic::facts_of(campaign);
  facts.gates[0].baseline = ArmIndex{9};
  EXPECT_THROW(summarize_campaign(facts, ranks), RunError);
}

}  // namespace
}  // namespace traceml
