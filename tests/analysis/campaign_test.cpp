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

LookDecision decide(const Campaign& campaign, int blocks) {
  return decide_at_look(synthetic::facts_of(campaign), synthetic::records_of(campaign), blocks);
}

TEST(Campaign, an_equal_candidate_passes_at_the_first_look) {
  const CampaignSummary summary = summarize(two_arms(100));
  EXPECT_EQ(summary.outcome, Outcome::kPass);
  EXPECT_EQ(summary.exit_code, 0);
  EXPECT_EQ(summary.gates[0].look, 6);
  EXPECT_EQ(summary.gates[0].blocks, 6);  // only blocks up to there, though 20 are recorded
  EXPECT_THAT(summary.gates[0].why, HasSubstr("below the margin of +2.00 %"));
}

TEST(Campaign, a_slower_candidate_fails_with_the_right_direction) {
  const CampaignSummary summary = summarize(two_arms(106));
  EXPECT_EQ(summary.outcome, Outcome::kFail);
  EXPECT_EQ(summary.exit_code, 10);
  EXPECT_EQ(summary.gates[0].direction, Direction::kSlower);
  EXPECT_NEAR(summary.gates[0].theta.value(), std::log(1.06), .005);
  EXPECT_NEAR(summary.gates[0].mean_difference->count(), 6, .5);
  EXPECT_FALSE(summary.gates[0].reason);
}

TEST(Campaign, a_change_of_the_size_of_the_margin_is_inconclusive) {
  const CampaignSummary summary = summarize(two_arms(102));
  EXPECT_EQ(summary.outcome, Outcome::kInconclusive);
  EXPECT_EQ(summary.exit_code, 11);
  EXPECT_EQ(summary.reason, Reason::kBorderline);
  EXPECT_EQ(summary.gates[0].look, 0);
  EXPECT_EQ(summary.gates[0].blocks, 20);
}

TEST(Campaign, swapped_arms_turn_theta_and_its_interval_round) {
  Campaign campaign = two_arms(101.5);
  campaign.max_blocks = 6;
  const GateResult there = summarize(campaign).gates[0];
  std::swap(campaign.gates[0].candidate, campaign.gates[0].baseline);
  const GateResult back = summarize(campaign).gates[0];
  EXPECT_NEAR(there.theta.value(), -back.theta.value(), 1e-12);
  EXPECT_NEAR(there.interval->upper, -back.interval->lower, 1e-12);
  EXPECT_NEAR(there.interval->lower, -back.interval->upper, 1e-12);
  EXPECT_NEAR(there.order_effect.value(), back.order_effect.value(), 1e-12);
  EXPECT_NEAR(there.hodges_lehmann.value(), -back.hodges_lehmann.value(), 1e-12);
  EXPECT_EQ(there.direction, Direction::kSlower);
  EXPECT_EQ(back.direction, Direction::kFaster);
}

TEST(Campaign, scaled_times_change_no_verdict) {
  for (const double candidate : {100.0, 102.0, 106.0}) {
    Campaign campaign = two_arms(candidate);
    const GateResult one = summarize(campaign).gates[0];
    campaign.arms[0].step_ms *= 1000;
    campaign.arms[1].step_ms *= 1000;
    const GateResult thousand = summarize(campaign).gates[0];
    EXPECT_EQ(one.outcome, thousand.outcome);
    EXPECT_EQ(one.look, thousand.look);
    EXPECT_NEAR(*one.theta, *thousand.theta, 1e-8);
  }
}

TEST(Campaign, the_same_records_give_the_same_figures_bit_for_bit) {
  const GateResult a = summarize(two_arms(101)).gates[0], b = summarize(two_arms(101)).gates[0];
  EXPECT_EQ(*a.theta, *b.theta);
  EXPECT_EQ(a.interval->upper, b.interval->upper);
  EXPECT_EQ(a.why, b.why);
}

TEST(Campaign, five_blocks_are_inconclusive_even_at_half_the_speed) {
  Campaign campaign = two_arms(200);
  campaign.blocks = 5;
  const CampaignSummary summary = summarize(campaign);
  EXPECT_EQ(summary.outcome, Outcome::kInconclusive);
  EXPECT_EQ(summary.reason, Reason::kTooFewUnits);
  EXPECT_NEAR(summary.gates[0].theta.value(), std::log(2.0), .01);  // shown, not judged
  EXPECT_EQ(summary.gates[0].why, "5 blocks are complete; the first verdict needs 6");
  campaign.blocks = 6;
  EXPECT_EQ(summarize(campaign).outcome, Outcome::kFail);
}

TEST(Campaign, blocks_between_two_looks_do_not_count) {
  // Block 6 would tip the balance: at look 6 the gate is open, and 7 is no look (oracle 11).
  Campaign campaign = two_arms(102);
  campaign.blocks = 7;
  CampaignFacts facts = synthetic::facts_of(campaign);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  const GateResult seven = summarize_campaign(facts, ranks).gates[0];
  EXPECT_EQ(seven.blocks, 6);
  EXPECT_EQ(seven.outcome, Outcome::kInconclusive);
  campaign.blocks = 6;
  const GateResult six = summarize(campaign).gates[0];
  EXPECT_EQ(*seven.theta, *six.theta);
  EXPECT_THROW(decide_at_look(facts, ranks, 7), RunError);
  EXPECT_FALSE(decide_at_look(facts, ranks, 6).stop);
}

TEST(Campaign, a_closed_gate_stays_closed_whatever_later_blocks_say) {
  Campaign campaign = two_arms(100);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (WindowRecord& window : ranks[0].windows) {
    if (window.block >= 6 && window.arm == ArmIndex{0}) {
      window.end_host = window.start_host + 2 * (window.end_host - window.start_host);
    }
  }
  const CampaignSummary summary = summarize_campaign(synthetic::facts_of(campaign), ranks);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kPass);
  EXPECT_EQ(summary.gates[0].look, 6);
}

TEST(Campaign, max_blocks_is_the_last_look_and_spends_no_other_level) {
  Campaign campaign = two_arms(102);
  campaign.max_blocks = 10;
  const LookDecision at_10 = decide(campaign, 10);
  EXPECT_TRUE(at_10.stop);
  EXPECT_TRUE(at_10.arms_needed.empty());
  EXPECT_EQ(at_10.gates[0].blocks, 10);
  campaign.max_blocks = 20;
  EXPECT_EQ(decide(campaign, 10).gates[0].interval->upper, at_10.gates[0].interval->upper);
  EXPECT_FALSE(decide(campaign, 10).stop);
}

TEST(Campaign, an_arm_that_no_open_gate_needs_leaves_the_later_blocks) {
  Campaign campaign;
  campaign.noise = .003;
  campaign.arms.resize(3);
  campaign.arms[1].step_ms = 100;
  campaign.arms[2].step_ms = 102;
  campaign.gates = {synthetic::gate(GateKind::kMaxRegression, 0, 1, .02),
                    synthetic::gate(GateKind::kMaxRegression, 2, 1, .02)};
  const LookDecision decision = decide(campaign, 6);
  EXPECT_EQ(decision.gates[0].outcome, Outcome::kPass);
  EXPECT_EQ(decision.gates[1].outcome, Outcome::kInconclusive);
  EXPECT_FALSE(decision.stop);
  EXPECT_THAT(decision.arms_needed, ElementsAre(ArmIndex{1}, ArmIndex{2}));
}

TEST(Campaign, a_gate_is_judged_though_its_arms_left_before_the_end) {
  Campaign campaign = two_arms(100);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  std::erase_if(ranks[0].windows, [](const WindowRecord& window) { return window.block >= 6; });
  const CampaignFacts facts = synthetic::facts_of(campaign);
  EXPECT_EQ(summarize_campaign(facts, ranks).gates[0].outcome, Outcome::kPass);
}

TEST(Campaign, what_the_runner_decides_is_what_the_summary_says) {
  for (const double candidate : {100.0, 101.2, 102.8, 106.0}) {
    Campaign campaign = two_arms(candidate);
    campaign.noise = .01;
    for (const int look : {6, 10, 14, 20}) {
      Campaign upto = campaign;
      const LookDecision decision = decide(campaign, look);
      if (!decision.stop) continue;
      const GateResult summary = summarize(campaign).gates[0];
      EXPECT_EQ(decision.gates[0].outcome, summary.outcome);
      EXPECT_EQ(*decision.gates[0].theta, *summary.theta);
      EXPECT_EQ(decision.gates[0].look, summary.look);
      break;
    }
  }
}

TEST(Campaign, a_gate_of_three_needs_a_smaller_p_to_fail_alone) {
  // Noise-free differences whose p lies between alpha / (4 * 3) and alpha / 4 (oracle 14).
  const double se = 1e-4 / std::sqrt(6.0);  // floor of the spread, six pairs
  Campaign campaign;
  campaign.noise = 0;
  campaign.max_blocks = 6;
  campaign.blocks = 6;
  campaign.arms.resize(3);
  campaign.arms[0].step_ms = 1e5 * std::exp(std::log(1.02) + 4.4 * se);  // t_4 = 4.4: p = .00584
  campaign.arms[1].step_ms = 1e5;
  campaign.arms[2].step_ms = 1e5;
  campaign.gates = {synthetic::gate(GateKind::kMaxRegression, 0, 1, .02),
                    synthetic::gate(GateKind::kMaxRegression, 2, 1, .02),
                    synthetic::gate(GateKind::kMaxRegression, 1, 2, .02)};
  const CampaignSummary summary = summarize(campaign);
  EXPECT_NEAR(summary.gates[0].p_regression.value(), .00584, 5e-5);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kInconclusive);
  EXPECT_EQ(summary.exit_code, 11);
  campaign.gates.resize(1);
  EXPECT_EQ(summarize(campaign).gates[0].outcome, Outcome::kFail);
}

TEST(Campaign, holm_lists_a_second_failure_once_a_first_one_stands) {
  const double se = 1e-4 / std::sqrt(6.0);
  Campaign campaign;
  campaign.max_blocks = 6;
  campaign.blocks = 6;
  campaign.arms.resize(3);
  campaign.arms[0].step_ms = 1e5 * std::exp(std::log(1.02) + 4.4 * se);
  campaign.arms[1].step_ms = 1e5;
  campaign.arms[2].step_ms = 1.1e5;
  campaign.gates = {synthetic::gate(GateKind::kMaxRegression, 0, 1, .02),
                    synthetic::gate(GateKind::kMaxRegression, 2, 1, .02),
                    synthetic::gate(GateKind::kMaxRegression, 1, 1, .02)};
  campaign.gates[2].candidate = ArmIndex{1};
  campaign.gates[2].baseline = ArmIndex{2};
  const CampaignSummary summary = summarize(campaign);
  EXPECT_EQ(summary.gates[1].outcome, Outcome::kFail);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kFail);  // .00584 < .05 / (4 * 2)
  EXPECT_LT(summary.gates[0].fail_lower.value(), std::log(1.02));
  EXPECT_THAT(summary.gates[0].why, HasSubstr("Holm"));
}

TEST(Campaign, a_failure_of_an_earlier_look_eases_holm_at_a_later_one) {
  Campaign campaign;
  campaign.max_blocks = 10;
  campaign.blocks = 10;
  campaign.arms.resize(3);
  campaign.arms[1].step_ms = 1e5;
  campaign.arms[2].step_ms = 1.1e5;
  campaign.gates = {synthetic::gate(GateKind::kMaxRegression, 0, 1, .02),
                    synthetic::gate(GateKind::kMaxRegression, 2, 1, .02)};
  const double se = 1e-4 / std::sqrt(10.0);
  campaign.arms[0].step_ms = 1e5 * std::exp(std::log(1.02) + 3.0 * se);  // t_8 = 3: p = .00854
  const CampaignSummary summary = summarize(campaign);
  EXPECT_EQ(summary.gates[1].look, 6);
  EXPECT_EQ(summary.gates[1].outcome, Outcome::kFail);
  EXPECT_NEAR(summary.gates[0].p_regression.value(), .00854, 5e-5);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kFail);  // .00854 < .05 / 4, not < .05 / 8
  EXPECT_EQ(summary.gates[0].look, 10);
  campaign.arms[2].step_ms = 1e5;
  EXPECT_EQ(summarize(campaign).gates[0].outcome, Outcome::kInconclusive);
}

TEST(Campaign, the_order_effect_is_positive_where_the_second_window_is_slower) {
  Campaign campaign = two_arms(100);
  campaign.noise = 0;
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (WindowRecord& window : ranks[0].windows) {
    if (window.order == 1) window.end_host += (window.end_host - window.start_host) / 100;
  }
  const GateResult gate = summarize_campaign(synthetic::facts_of(campaign), ranks).gates[0];
  EXPECT_NEAR(gate.order_effect.value(), std::log(1.01), 1e-9);
  EXPECT_NEAR(gate.theta.value(), 0, 1e-12);
}

TEST(Campaign, fail_beats_inconclusive_beats_pass) {
  Campaign campaign;
  campaign.noise = .003;
  campaign.arms.resize(4);
  campaign.arms[1].step_ms = 102;
  campaign.arms[2].step_ms = 110;
  campaign.gates = {synthetic::gate(GateKind::kMaxRegression, 3, 0, .02)};
  EXPECT_EQ(summarize(campaign).exit_code, 0);
  campaign.gates.push_back(synthetic::gate(GateKind::kMaxRegression, 1, 0, .02));
  EXPECT_EQ(summarize(campaign).exit_code, 11);
  campaign.gates[1].inconclusive_passes = true;
  EXPECT_EQ(summarize(campaign).exit_code, 0);
  EXPECT_EQ(summarize(campaign).gates[1].outcome, Outcome::kInconclusive);
  campaign.gates.push_back(synthetic::gate(GateKind::kMaxRegression, 2, 0, .02));
  EXPECT_EQ(summarize(campaign).exit_code, 10);
  EXPECT_FALSE(summarize(campaign).reason);
}

TEST(Campaign, a_gate_whose_arm_was_left_out_is_inconclusive_and_the_others_are_judged) {
  const synthetic::Campaign campaign = two_arms(100);
  CampaignFacts facts = synthetic::facts_of(campaign);
  GateSpec gate;
  gate.name = "engines against baseline";
  gate.inconclusive_passes = true;
  gate.left_out = LeftOutArms{"engines", "baseline", "the arm engines cannot run here: no nvJPEG"};
  facts.left_out_gates = {gate};
  const auto records = synthetic::records_of(campaign);
  CampaignSummary summary = summarize_campaign(facts, records);
  ASSERT_EQ(summary.gates.size(), 2U);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kPass);
  EXPECT_EQ(summary.gates[1].outcome, Outcome::kInconclusive);
  EXPECT_EQ(summary.gates[1].reason, Reason::kArmLeftOut);
  EXPECT_EQ(summary.gates[1].why, "the arm engines cannot run here: no nvJPEG");
  EXPECT_EQ(summary.exit_code, 11) << "inconclusive: pass is for the spread of times alone";
  EXPECT_EQ(summary.reason, Reason::kArmLeftOut);
  facts.left_out_gates.front().escalate_after = 3;
  facts.left_out_gates.front().inconclusive_before = 2;
  EXPECT_EQ(summarize_campaign(facts, records).exit_code, 10);
  facts.gates.clear();
  facts.left_out_gates.front().escalate_after = 0;
  summary = summarize_campaign(facts, records);
  EXPECT_FALSE(summary.no_gates);
  EXPECT_EQ(summary.exit_code, 11);
}

TEST(Campaign, no_gates_is_exit_code_zero_and_says_so) {
  Campaign campaign = two_arms(100);
  campaign.gates.clear();
  const CampaignSummary summary = summarize(campaign);
  EXPECT_TRUE(summary.no_gates);
  EXPECT_EQ(summary.exit_code, 0);
  EXPECT_TRUE(decide(campaign, 6).stop);
}

TEST(Campaign, a_regression_by_stalls_alone_fails_though_the_median_step_is_equal) {
  Campaign campaign = two_arms(100);
  campaign.with_steps = true;
  CampaignFacts facts = synthetic::facts_of(campaign);
  facts.period = 8;
  facts.settle_steps = 0;
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  const Nanos stall = std::chrono::milliseconds(40);  // once in 8 steps: 5 % of the mean
  for (WindowRecord& window : ranks[0].windows) {
    if (window.arm == ArmIndex{0}) window.end_host += stall;
  }
  for (StepRecord& step : ranks[0].steps) {
    if (step.arm != ArmIndex{0} || step.step.value != 8) continue;
    *step.phases[index_of(Phase::kInputWait)]->host += stall;
  }
  const CampaignSummary summary = summarize_campaign(facts, ranks);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kFail);
  const Distribution& candidate = summary.arms[0].step_distribution.value();
  const Distribution& baseline = summary.arms[1].step_distribution.value();
  EXPECT_NEAR(candidate.median / baseline.median, 1, .01);
  EXPECT_GT(candidate.max / baseline.max, 1.3);
}

TEST(Campaign, one_window_ten_times_as_long_is_labelled_kept_and_no_pass) {
  Campaign campaign = two_arms(100);
  campaign.blocks = 10;
  campaign.max_blocks = 10;
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  WindowRecord& window = ranks[0].windows[4];
  window.end_host = window.start_host + 10 * (window.end_host - window.start_host);
  const CampaignSummary summary = summarize_campaign(synthetic::facts_of(campaign), ranks);
  const GateResult& gate = summary.gates[0];
  EXPECT_EQ(gate.blocks, 10);
  EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
  EXPECT_THAT(gate.all_reasons, ElementsAre(Reason::kInterferenceSuspected, Reason::kWideInterval));
  const ArmSummary& arm = summary.arms[static_cast<std::size_t>(window.arm.value)];
  EXPECT_EQ(arm.windows, 10);
  EXPECT_EQ(arm.outlier_windows, 1);
  EXPECT_THAT(summary.warnings, ::testing::Contains(HasSubstr("1 of 10 windows lie outside")));
}

TEST(Campaign, equal_windows_have_a_defined_result) {
  Campaign campaign = two_arms(100);
  campaign.noise = 0;
  const GateResult gate = summarize(campaign).gates[0];
  EXPECT_EQ(gate.outcome, Outcome::kPass);
  EXPECT_EQ(gate.theta, 0.0);
  EXPECT_EQ(gate.pair_sd, 1e-4);
  EXPECT_LT(gate.interval->lower, 0);
}

}  // namespace
}  // namespace traceml
