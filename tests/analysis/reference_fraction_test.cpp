#include "harness/analysis/reference_fraction.h"

#include <gtest/gtest.h>

#include "tests/analysis/two_arms.h"

namespace traceml {
namespace {

using synthetic::Campaign;

// Arm 0 reads files at 125 ms a step; 1 and 2 are input-free, at 100 and 80 ms.
Campaign with_two_references() {
  Campaign campaign;
  campaign.arms.resize(3);
  campaign.arms[0].step_ms = 125;
  campaign.arms[1] = {.name = "float32", .step_ms = 100, .input_free = true, .reference = {}};
  campaign.arms[2] = {.name = "uint8", .step_ms = 80, .input_free = true, .reference = {}};
  campaign.arms[0].reference = 1;
  campaign.noise = 0.01;
  return campaign;
}

CampaignSummary summary_of(const Campaign& campaign, const CampaignFacts& facts) {
  return summarize_campaign(facts, synthetic::records_of(campaign));
}

TEST(ReferenceFraction, is_told_of_the_matched_and_of_the_common_reference) {
  Campaign campaign = with_two_references();
  campaign.arms[0].reference = 2;
  const CampaignSummary summary = summary_of(campaign, synthetic::facts_of(campaign));
  ASSERT_EQ(summary.common_reference, ArmIndex{1}) << "the first input-free one";
  const ArmSummary& arm = summary.arms[0];
  EXPECT_NEAR(arm.fraction_of_reference.value(), 80.0 / 125, .01);
  EXPECT_NEAR(arm.of_common.value().fraction, 100.0 / 125, .01);
  EXPECT_EQ(summary.arms[1].of_common.value().fraction, 1.0);
  EXPECT_NEAR(summary.arms[2].of_common.value().fraction, 100.0 / 80, .01);
}

TEST(ReferenceFraction, has_an_interval_that_holds_the_truth_as_often_as_it_says) {
  int holds = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Campaign campaign = with_two_references();
    campaign.seed = seed;
    campaign.blocks = campaign.max_blocks = 6;
    const ArmSummary arm = summary_of(campaign, synthetic::facts_of(campaign)).arms[0];
    ASSERT_TRUE(arm.fraction_interval);
    const double truth = 0.8;
    holds += arm.fraction_interval->lower < truth && truth < arm.fraction_interval->upper ? 1 : 0;
  }
  EXPECT_GT(holds, 255) << "of 300 at 90 %: 270 are expected, sd 5.2";
  EXPECT_LT(holds, 285);
}

TEST(ReferenceFraction, allows_for_what_one_launch_cannot_see) {
  Campaign campaign = with_two_references();
  campaign.noise = 0;
  CampaignFacts facts = synthetic::facts_of(campaign);
  facts.interaction_sd = 0.003;
  const Interval interval = summary_of(campaign, facts).arms[0].fraction_interval.value();
  EXPECT_NEAR(interval.upper - interval.lower, 2 * 1.645 * 0.003 * 0.8, 2e-4);
}

TEST(ReferenceFraction, of_the_common_one_is_left_out_where_the_training_differs) {
  const Campaign campaign = with_two_references();
  CampaignFacts facts = synthetic::facts_of(campaign);
  for (ArmFacts& arm : facts.arms) {
    arm.settings = {{"input.dtype", arm.name}, {"workload.model", "resnet50"}};
  }
  EXPECT_TRUE(summary_of(campaign, facts).arms[0].of_common);
  facts.arms[0].settings[1].second = "resnet18";
  EXPECT_FALSE(summary_of(campaign, facts).arms[0].of_common);
}

TEST(ReferenceFraction, is_null_without_a_reference_or_a_common_block) {
  Campaign campaign = with_two_references();
  campaign.arms[0].reference.reset();
  campaign.arms[1].input_free = campaign.arms[2].input_free = false;
  const CampaignSummary summary = summary_of(campaign, synthetic::facts_of(campaign));
  EXPECT_FALSE(summary.common_reference);
  EXPECT_FALSE(summary.arms[0].of_common);
  EXPECT_FALSE(summary.arms[0].fraction_interval);
}

}  // namespace
}  // namespace traceml
