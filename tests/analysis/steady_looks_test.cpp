// A verdict waits for steady windows, look by look (docs/statistics.md, 2.10).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "harness/analysis/gate_replay.h"
#include "harness/analysis/launch_pool.h"
#include "tests/analysis/two_arms.h"

namespace traceml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void scale(StepRecord& step, double factor) {
  for (auto& phase : step.phases) {
    if (!phase) continue;
    phase->host = Nanos(std::llround(static_cast<double>(phase->host->count()) * factor));
  }
}

// The first third of each window of an arm takes so much longer, by block; its wall is as it was.
using SlowStarts = std::function<double(ArmIndex arm, int block)>;

void slow_starts(std::vector<RankRecords>& ranks, const SlowStarts& excess) {
  for (RankRecords& rank : ranks) {
    std::map<WindowIndex, int> blocks;
    for (const WindowRecord& window : rank.windows) blocks[window.window] = window.block;
    for (StepRecord& step : rank.steps) {
      if (!step.window || step.step.value < 1 || step.step.value > 2) continue;  // 0 settles
      const double factor = 1 + excess(step.arm, blocks.at(*step.window));
      scale(step, factor);
    }
  }
}

double flagged_until_6(ArmIndex, int block) {
  return block < 6 ? .02 : -.02;
}

double always_flagged(ArmIndex, int) {
  return .03;
}

synthetic::Campaign with_steps(double candidate_ms = 100) {
  synthetic::Campaign campaign = two_arms(candidate_ms);
  campaign.with_steps = true;
  campaign.world_size = 2;
  return campaign;
}

struct Recorded {
  CampaignFacts facts;
  std::vector<RankRecords> ranks;

  Recorded(const synthetic::Campaign& campaign, const SlowStarts& excess)
      : facts(synthetic::facts_of(campaign)), ranks(synthetic::records_of(campaign)) {
    slow_starts(ranks, excess);
  }

  LookDecision at(int look) const { return decide_at_look(facts, ranks, look); }
  CampaignSummary summary() const { return summarize_campaign(facts, ranks); }
};

TEST(SteadyLooks, a_flag_that_is_gone_at_the_next_look_puts_the_verdict_off_until_there) {
  const Recorded run(with_steps(), flagged_until_6);
  const LookDecision first = run.at(6);
  EXPECT_FALSE(first.stop);
  EXPECT_THAT(first.arms_needed, ElementsAre(ArmIndex{0}, ArmIndex{1}));
  EXPECT_EQ(first.gates[0].reason, Reason::kNotSteady);
  EXPECT_EQ(first.gates[0].look, 0);
  EXPECT_TRUE(run.at(10).stop);
  const CampaignSummary summary = run.summary();
  EXPECT_EQ(summary.exit_code, 0);
  EXPECT_EQ(summary.gates[0].look, 10);
  EXPECT_EQ(summary.gates[0].blocks, 10);
  EXPECT_THAT(summary.gates[0].all_reasons, IsEmpty());
  EXPECT_THAT(summary.warnings, Contains("gate 0 against 1: its windows were not steady after 6 "
                                         "blocks, so its verdict waited until 10"));
}

TEST(SteadyLooks, a_failure_waits_as_a_pass_does) {
  const Recorded run(with_steps(106), flagged_until_6);
  EXPECT_FALSE(run.at(6).stop);
  EXPECT_EQ(run.summary().gates[0].look, 10);
  EXPECT_EQ(run.summary().exit_code, 10);
}

TEST(SteadyLooks, windows_that_are_never_steady_have_no_verdict_at_the_last_look) {
  const Recorded run(with_steps(), always_flagged);
  for (const int look : {6, 10, 14}) EXPECT_FALSE(run.at(look).stop);
  EXPECT_TRUE(run.at(20).stop);
  const CampaignSummary summary = run.summary();
  EXPECT_EQ(summary.exit_code, 11);
  EXPECT_EQ(summary.reason, Reason::kNotSteady);
  EXPECT_THAT(summary.gates[0].all_reasons, ElementsAre(Reason::kNotSteady));
  EXPECT_THAT(summary.gates[0].why, HasSubstr("over 40 windows"));
  EXPECT_EQ(summary.gates[0].look, 0);
  EXPECT_EQ(summary.gates[0].blocks, 20);
  EXPECT_THAT(summary.warnings, Not(Contains(HasSubstr("waited"))));
}

TEST(SteadyLooks, a_run_that_ends_before_the_next_look_is_not_steady) {
  synthetic::Campaign campaign = with_steps();
  campaign.blocks = 8;
  const CampaignSummary summary = Recorded(campaign, flagged_until_6).summary();
  EXPECT_EQ(summary.reason, Reason::kNotSteady);
  EXPECT_EQ(summary.gates[0].blocks, 6);
}

TEST(SteadyLooks, drift_in_blocks_after_the_gate_closed_takes_no_verdict_away) {
  const Recorded run(with_steps(), [](ArmIndex, int block) { return block < 6 ? 0 : .5; });
  EXPECT_TRUE(run.at(6).stop);
  EXPECT_EQ(run.summary().gates[0].look, 6);
  EXPECT_EQ(run.summary().exit_code, 0);
}

TEST(SteadyLooks, the_arms_of_a_gate_that_waits_go_on_and_the_others_leave) {
  synthetic::Campaign campaign = with_steps();
  campaign.arms.resize(3);
  campaign.arms[2].name = "third";
  campaign.gates.push_back(synthetic::gate(GateKind::kMaxRegression, 2, 1, .02));
  const Recorded run(campaign, [](ArmIndex arm, int) { return arm == ArmIndex{0} ? .05 : 0; });
  const LookDecision decision = run.at(6);
  EXPECT_EQ(decision.gates[0].reason, Reason::kNotSteady);
  EXPECT_EQ(decision.gates[1].outcome, Outcome::kPass);
  EXPECT_THAT(decision.arms_needed, ElementsAre(ArmIndex{0}, ArmIndex{1}));
}

TEST(SteadyLooks, arms_without_instrumentation_are_not_asked) {
  synthetic::Campaign campaign = with_steps();
  for (synthetic::Arm& arm : campaign.arms) arm.instrument = Instrument::kNone;
  EXPECT_TRUE(Recorded(campaign, always_flagged).at(6).stop);
}

TEST(SteadyLooks, until_verdict_goes_on_to_the_first_steady_look) {
  synthetic::Campaign campaign = with_steps();
  Recorded run(campaign, flagged_until_6);
  run.facts.until_verdict = true;
  run.facts.looks = {6, 8, 10, 12, 14, 16, 18, 20};
  EXPECT_FALSE(run.at(6).stop);
  EXPECT_TRUE(run.at(8).stop);  // 12 of 16 windows by .02, the others by -.02: .01 at most
  EXPECT_EQ(run.summary().gates[0].look, 8);
}

TEST(SteadyLooks, a_flagged_failure_eases_holm_for_no_other_gate) {
  // As in Campaign.holm_lists_a_second_failure_once_a_first_one_stands, the first being flagged.
  const double se = 1e-4 / std::sqrt(6.0);
  synthetic::Campaign campaign;
  campaign.with_steps = true;
  campaign.max_blocks = campaign.blocks = 6;
  campaign.arms.resize(4);
  campaign.arms[0].step_ms = 1e5 * std::exp(std::log(1.02) + 4.4 * se);
  campaign.arms[1].step_ms = campaign.arms[3].step_ms = 1e5;
  campaign.arms[2].step_ms = 1.1e5;
  campaign.gates = {synthetic::gate(GateKind::kMaxRegression, 0, 1, .02),
                    synthetic::gate(GateKind::kMaxRegression, 2, 3, .02),
                    synthetic::gate(GateKind::kMaxRegression, 1, 2, .02)};
  const auto never = [](ArmIndex, int) { return 0; };
  EXPECT_EQ(Recorded(campaign, never).summary().gates[0].outcome, Outcome::kFail);
  const Recorded run(campaign, [](ArmIndex arm, int) { return arm == ArmIndex{3} ? .05 : 0; });
  EXPECT_EQ(run.summary().gates[1].reason, Reason::kNotSteady);
  EXPECT_EQ(run.summary().gates[0].outcome, Outcome::kInconclusive);
}

TEST(SteadyLooks, of_launches_count_launches) {
  std::vector<RankRecords> pool;
  CampaignFacts facts;
  for (int launch = 0; launch < 20; ++launch) {
    synthetic::Campaign campaign = two_arms(100);
    campaign.with_steps = true;
    campaign.blocks = campaign.max_blocks = 4;
    campaign.noise = .001;
    campaign.seed = static_cast<std::uint64_t>(launch) + 1;
    facts = synthetic::facts_of(campaign);
    facts.launches = 20;
    facts.looks = {4};
    std::vector<RankRecords> ranks = synthetic::records_of(campaign);
    // A wobble, lest the launches are all the same.
    slow_starts(ranks,
                [&](ArmIndex, int) { return (launch < 6 ? .02 : -.02) + .001 * (launch % 3); });
    append_launch(facts, launch, std::move(ranks), &pool);
  }
  facts = facts_over_launches(facts);
  EXPECT_FALSE(decide_at_look(facts, pool, 6).stop);
  EXPECT_TRUE(decide_at_look(facts, pool, 10).stop);
  const CampaignSummary summary = summarize_campaign(facts, pool);
  EXPECT_EQ(summary.gates[0].look, 10);
  EXPECT_EQ(summary.exit_code, 0);
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("not steady after 6 launches")));
}

// Equal arms; every step has noise of its own, and a window's wall is the sum of its steps.
std::vector<RankRecords> noisy_steps(const synthetic::Campaign& campaign, double sd,
                                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, sd);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  std::map<WindowIndex, Nanos> walls;
  for (StepRecord& step : ranks[0].steps) {
    scale(step, std::exp(normal(random)));
    if (step.timed) {
      walls[*step.window] += *step.phases[index_of(Phase::kInputWait)]->host +
                             *step.phases[index_of(Phase::kTraced)]->host;
    }
  }
  for (WindowRecord& window : ranks[0].windows) {
    window.end_host = window.start_host + walls.at(window.window);
  }
  return ranks;
}

// As it was before 2026-11-30: the gate closes on its windows alone, and is flagged by the steps up
// to there.
bool flagged_where_windows_close(const CampaignFacts& facts, std::vector<RankRecords> ranks) {
  const CampaignSummary windows_alone = [&] {
    std::vector<RankRecords> bare = ranks;
    bare[0].steps.clear();
    return summarize_campaign(facts, bare);
  }();
  const int look = windows_alone.gates[0].look;
  if (look == 0) return false;
  std::erase_if(ranks[0].windows, [&](const WindowRecord& one) { return one.block >= look; });
  CampaignFacts first_look_only = facts;
  first_look_only.looks = {look};
  first_look_only.max_blocks = look;
  const CampaignSummary there = summarize_campaign(first_look_only, ranks);
  const auto& reasons = there.gates[0].all_reasons;
  return std::find(reasons.begin(), reasons.end(), Reason::kNotSteady) != reasons.end();
}

// Windows of 8 steps with noise of 3 % a step, a margin of 2 %: the flag is up by chance at 5 % of
// the looks.
TEST(SteadyLooks, healthy_runs_are_rarely_not_steady_at_the_end) {
  constexpr int kCampaigns = 1000;
  synthetic::Campaign campaign = two_arms(100);
  campaign.with_steps = true;
  campaign.noise = 0;
  int before = 0, after = 0, passes = 0, fails = 0;
  for (int i = 0; i < kCampaigns; ++i) {
    campaign.seed = static_cast<std::uint64_t>(i) + 1;
    const CampaignFacts facts = synthetic::facts_of(campaign);
    const auto ranks = noisy_steps(campaign, .03, campaign.seed);
    const GateResult gate = summarize_campaign(facts, ranks).gates[0];
    before += flagged_where_windows_close(facts, ranks);
    after += gate.reason == Reason::kNotSteady;
    passes += gate.outcome == Outcome::kPass;
    fails += gate.outcome == Outcome::kFail;
  }
  RecordProperty("not_steady_before", before);
  RecordProperty("not_steady_after", after);
  std::printf("of %d healthy campaigns not_steady: %d before, %d now; pass %d, fail %d\n",
              kCampaigns, before, after, passes, fails);
  EXPECT_GE(before, .04 * kCampaigns);
  EXPECT_LE(after, .015 * kCampaigns);
  EXPECT_GE(passes, .95 * kCampaigns);
  EXPECT_LE(fails, .01 * kCampaigns);
}

}  // namespace
}  // namespace traceml
