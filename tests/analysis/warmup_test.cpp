// Figures of the steps before the first window.

#include <gtest/gtest.h>

#include "tests/analysis/two_arms.h"

namespace traceml {
namespace {

using synthetic::Campaign;

Campaign two_ranks() {
  Campaign campaign = two_arms(100);
  campaign.noise = 0;
  campaign.world_size = 2;
  campaign.with_steps = true;
  campaign.warmup_ms = {350, 120, 100};
  campaign.arms[1].instrument = Instrument::kNone;
  return campaign;
}

CampaignSummary summary_of(const Campaign& campaign, const std::vector<RankRecords>& ranks) {
  return summarize_campaign(synthetic::facts_of(campaign), ranks);
}

StepRecord& first_step(RankRecords& rank) {
  return rank.steps.front();
}

DualTime host(double ms) {
  return {synthetic::detail::nanos(ms), std::nullopt};
}

TEST(FirstStep, is_that_of_the_slowest_rank_on_the_host_clock) {
  Campaign campaign = two_ranks();
  campaign.with_device_times = true;
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  first_step(ranks[0]).phases[index_of(Phase::kInputWait)] = host(70);
  first_step(ranks[1]).phases[index_of(Phase::kTraced)] = host(500);
  const ArmSummary arm = summary_of(campaign, ranks).arms[0];
  EXPECT_NEAR(arm.first_batch->count(), 70, 1e-6);    // of rank 0
  EXPECT_NEAR(arm.first_step->count(), 500.5, 1e-6);  // of rank 1: its wait and its step
  EXPECT_NEAR(arm.global.step_cpu->count(), 100, 1e-6);
}

TEST(FirstStep, of_a_bare_arm_is_null) {
  const ArmSummary bare = summarize(two_ranks()).arms[1];
  EXPECT_FALSE(bare.first_batch);
  EXPECT_FALSE(bare.first_step);
}

TEST(FirstStep, is_null_where_a_rank_lost_it_or_its_time) {
  const Campaign campaign = two_ranks();
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  first_step(ranks[1]).phases[index_of(Phase::kTraced)] = DualTime{};
  const ArmSummary untimed = summary_of(campaign, ranks).arms[0];
  EXPECT_NEAR(untimed.first_batch->count(), .5, 1e-6);
  EXPECT_FALSE(untimed.first_step);

  ranks[1].steps.erase(ranks[1].steps.begin());  // step 1 is no first step
  EXPECT_FALSE(summary_of(campaign, ranks).arms[0].first_batch);

  ranks.pop_back();
  EXPECT_FALSE(summary_of(campaign, ranks).arms[0].first_batch);
}

TEST(FirstStep, does_not_need_a_window) {
  const Campaign campaign = two_ranks();
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (RankRecords& rank : ranks) {
    rank.windows.clear();
    std::erase_if(rank.steps, [](const StepRecord& step) { return step.window.has_value(); });
  }
  EXPECT_NEAR(summary_of(campaign, ranks).arms[0].first_step->count(), 350, 1e-6);
}

}  // namespace
}  // namespace traceml
