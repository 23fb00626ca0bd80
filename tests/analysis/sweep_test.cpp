// Sweeps from window records to an answer (docs/statistics.md, 2.13).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/analysis/sweep_answer.h"
#include "harness/analysis/sweep_replay.h"
#include "harness/analysis/sweep_result.h"
#include "tests/analysis/swept_campaign.h"

namespace traceml {
namespace {

using enum Standing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CampaignSummary summarize(const synthetic::Campaign& campaign, double delta = .01) {
  return summarize_campaign(sweep_facts(campaign, delta), synthetic::records_of(campaign));
}

// The records of a run whose settings leave it as its looks decide.
struct LiveRun {
  std::vector<RankRecords> ranks;
  std::vector<std::vector<ArmIndex>> arms_of_blocks;
};

LiveRun run_live(const CampaignFacts& facts, const synthetic::Campaign& campaign) {
  const std::vector<RankRecords> all = synthetic::records_of(campaign);
  LiveRun live;
  live.ranks = all;
  for (RankRecords& rank : live.ranks) rank.windows.clear();
  std::vector<ArmIndex> arms;
  for (std::size_t i = 0; i < facts.arms.size(); ++i) arms.push_back({static_cast<int>(i)});
  const auto runs = [&](ArmIndex arm) {
    return std::find(arms.begin(), arms.end(), arm) != arms.end();
  };
  for (int block = 0; block < facts.max_blocks; ++block) {
    live.arms_of_blocks.push_back(arms);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      for (const WindowRecord& window : all[rank].windows) {
        if (window.block == block && runs(window.arm)) live.ranks[rank].windows.push_back(window);
      }
    }
    const int done = block + 1;
    if (std::find(facts.looks.begin(), facts.looks.end(), done) == facts.looks.end()) continue;
    const LookDecision decision = decide_at_look(facts, live.ranks, done);
    if (decision.stop) break;
    arms = decision.arms_needed;
  }
  return live;
}

TEST(Sweep, names_the_cheapest_setting_that_is_tied_with_the_best) {
  const CampaignSummary summary = summarize(swept({130, 100.2, 100, 100.1}, .001));
  EXPECT_THAT(standings_of(summary), ElementsAre(kWorse, kTied, kBest, kTied));
  EXPECT_EQ(summary.sweep->best, 2u);
  EXPECT_EQ(summary.sweep->answer, 1u);
  EXPECT_THAT(summary.sweep->open, testing::IsEmpty());
  EXPECT_EQ(summary.exit_code, 0);
}

TEST(Sweep, not_proven_worse_is_never_tied) {
  const CampaignSummary summary = summarize(swept({101.4, 100, 101.4}, .005));
  EXPECT_THAT(standings_of(summary), ElementsAre(kUnresolved, kBest, kUnresolved));
  EXPECT_EQ(summary.sweep->answer, 1u);
  EXPECT_THAT(summary.sweep->open, ElementsAre(0u));  // 2 is dearer than the answer
  EXPECT_THAT(summary.sweep->doubts, testing::IsEmpty());
  EXPECT_EQ(summary.exit_code, 0);  // a sweep is no gate
}

// At this noise the first blocks take the slower setting for the best.
TEST(Sweep, doubts_a_best_that_another_setting_may_beat_by_the_margin) {
  const synthetic::Campaign campaign = swept({102, 100, 104}, .02);
  const CampaignFacts facts = sweep_facts(campaign);
  const CampaignSummary summary = summarize_campaign(facts, synthetic::records_of(campaign));
  EXPECT_THAT(standings_of(summary), ElementsAre(kBest, kTied, kUnresolved));
  EXPECT_EQ(summary.sweep->answer, 0u);
  EXPECT_THAT(summary.sweep->doubts, testing::Contains(1u));
  EXPECT_EQ(run_live(facts, campaign).arms_of_blocks.size(), 20u);  // it is not closed
}

TEST(Sweep, chooses_on_the_first_blocks_and_judges_on_later_ones_alone) {
  const synthetic::Campaign campaign = swept({110, 100}, 0);
  const CampaignFacts facts = sweep_facts(campaign);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (WindowRecord& window : ranks[0].windows) {  // the other way round while it is chosen
    if (window.block >= kChoosingBlocks) continue;
    const double ms = window.arm == ArmIndex{0} ? 90 : 100;
    window.end_host = window.start_host + synthetic::detail::nanos(ms * 8);
  }
  const CampaignSummary summary = summarize_campaign(facts, ranks);
  EXPECT_EQ(summary.sweep->best, 0u);
  const SettingResult& other = summary.sweep->settings[1];
  EXPECT_NEAR(*other.judged->theta, std::log(100 / 110.), 1e-9);
  EXPECT_EQ(other.judged->blocks, 6);
}

TEST(Sweep, gives_no_answer_where_later_blocks_beat_the_best) {
  const synthetic::Campaign campaign = swept({110, 100}, 0);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (WindowRecord& window : ranks[0].windows) {
    if (window.block >= kChoosingBlocks || window.arm != ArmIndex{0}) continue;
    window.end_host = window.start_host + synthetic::detail::nanos(90 * 8);
  }
  const CampaignSummary summary = summarize_campaign(sweep_facts(campaign), ranks);
  EXPECT_TRUE(summary.sweep->settings[1].beats_best);
  EXPECT_FALSE(summary.sweep->answer);
  EXPECT_THAT(summary.sweep->why_no_answer, HasSubstr("faster than it by more than the margin"));
  EXPECT_EQ(summary.sweep->curve->knee, Knee::kNone);
}

TEST(Sweep, takes_the_cheapest_of_equal_settings_for_the_best) {
  const synthetic::Campaign campaign = swept({100, 100, 100}, 0);
  CampaignFacts facts = sweep_facts(campaign);
  facts.sweep->settings[0].cost_rank = 2;
  facts.sweep->settings[2].cost_rank = 0;
  EXPECT_EQ(summarize_campaign(facts, synthetic::records_of(campaign)).sweep->best, 2u);
}

TEST(Sweep, compares_seconds_per_image_where_batches_differ) {
  synthetic::Campaign campaign = swept({100, 160}, 0);
  campaign.arms[1].global_batch = 128;
  const CampaignSummary summary = summarize(campaign);
  EXPECT_THAT(standings_of(summary), ElementsAre(kWorse, kBest));
  EXPECT_NEAR(*summary.sweep->settings[0].judged->theta, std::log(100 / 80.), 1e-6);
}

TEST(Sweep, keeps_its_level_over_all_settings) {
  const CampaignFacts facts = sweep_facts(swept({100, 100, 100, 100, 100}));
  const GateRule rule = rule_of_sweep(facts);
  EXPECT_DOUBLE_EQ(rule.pass_level(), .05 / (4 * 4));  // K looks, S - 1 settings
  EXPECT_DOUBLE_EQ(rule.fail_level(), .05 / (4 * 4));
  EXPECT_DOUBLE_EQ(rule.allowance.sd, facts.interaction_sd);
}

TEST(Sweep, lets_resolved_settings_leave_at_looks_alone) {
  synthetic::Campaign campaign = swept({150, 102.2, 100}, .012);
  campaign.arms.push_back(reference_arm("reference", 95));
  for (int i = 0; i < 3; ++i) campaign.arms[std::size_t(i)].reference = 3;
  const CampaignFacts facts = sweep_facts(campaign);
  const LiveRun live = run_live(facts, campaign);
  ASSERT_GT(live.arms_of_blocks.size(), 10u);
  for (int block = 0; block < 10; ++block) EXPECT_EQ(live.arms_of_blocks[block].size(), 4u);
  EXPECT_THAT(live.arms_of_blocks[10],
              ElementsAre(ArmIndex{1}, ArmIndex{2}, ArmIndex{3}));  // 0 was worse at 10 blocks
}

TEST(Sweep, ends_when_every_setting_is_resolved) {
  const synthetic::Campaign campaign = swept({150, 100, 100.1}, .001);
  EXPECT_EQ(run_live(sweep_facts(campaign), campaign).arms_of_blocks.size(), 10u);
}

TEST(Sweep, is_replayed_as_it_was_decided) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    synthetic::Campaign campaign = swept({150, 103, 101.2, 100, 100.3}, .012);
    campaign.seed = seed;
    const CampaignFacts facts = sweep_facts(campaign);
    const LiveRun live = run_live(facts, campaign);
    const int blocks = static_cast<int>(live.arms_of_blocks.size());
    const CampaignSummary replayed = summarize_campaign(facts, live.ranks);
    ASSERT_EQ(replayed.blocks, blocks);
    for (const SettingResult& setting : replayed.sweep->settings) {
      if (setting.standing == kBest) continue;
      const int look = setting.judged->look;
      int last = 0;  // block in which the setting ran
      for (int block = 0; block < blocks; ++block) {
        const auto& arms = live.arms_of_blocks[std::size_t(block)];
        const auto it = std::find(arms.begin(), arms.end(), setting.setting.arm);
        if (it != arms.end()) last = block + 1;
      }
      EXPECT_EQ(last, look > 0 ? look : blocks) << "seed " << seed;
      const bool resolved = setting.standing == kWorse || setting.beats_best ||
                            (setting.standing == kTied && !setting.doubts_best);
      EXPECT_EQ(look > 0, resolved) << "seed " << seed;
    }
    // All windows are there, and they change nothing that was decided.
    const CampaignSummary whole = summarize_campaign(facts, synthetic::records_of(campaign));
    EXPECT_EQ(standings_of(whole), standings_of(replayed)) << "seed " << seed;
  }
}

TEST(Sweep, of_a_run_that_ended_early_has_no_answer) {
  CampaignSummary summary = summarize(swept({130, 100, 100.1}, .001));
  withhold_answer(*summary.sweep);
  EXPECT_FALSE(summary.sweep->answer);
  EXPECT_THAT(standings_of(summary), ElementsAre(kWorse, kBest, kUnresolved));
}

TEST(Sweep, without_a_whole_first_block_has_no_best) {
  synthetic::Campaign campaign = swept({130, 100}, .001);
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (WindowRecord& window : ranks[0].windows) {
    if (window.block < kChoosingBlocks) window.void_reason = "throttled";
  }
  const CampaignSummary summary = summarize_campaign(sweep_facts(campaign), ranks);
  EXPECT_FALSE(summary.sweep->best);
  EXPECT_THAT(standings_of(summary), ElementsAre(kUnresolved, kUnresolved));
  EXPECT_THAT(summary.sweep->why_no_answer, HasSubstr("none of the first 4 blocks"));
}

TEST(Sweep, shows_both_fractions_with_intervals) {
  synthetic::Campaign campaign = swept({125, 100}, .0005);
  campaign.arms.push_back(reference_arm("reference", 100));
  campaign.arms.push_back(reference_arm("reference[b]", 80));
  campaign.arms[0].reference = 3;
  campaign.arms[1].reference = 2;
  CampaignFacts facts = sweep_facts(campaign);
  facts.sweep->common_reference = ArmIndex{2};
  const CampaignSummary summary = summarize_campaign(facts, synthetic::records_of(campaign));
  const SettingResult& first = summary.sweep->settings[0];
  EXPECT_NEAR(first.of_matched->fraction, .64, .002);
  EXPECT_NEAR(first.of_common->fraction, .8, .002);
  EXPECT_LT(first.of_common->interval->lower, .8);
  EXPECT_GT(first.of_common->interval->upper, .8);
  EXPECT_EQ(first.of_common->blocks, 20);
}

TEST(Sweep, says_whether_a_setting_waits_for_its_input) {
  synthetic::Campaign campaign = swept({125, 120, 100}, 0);
  campaign.with_steps = true;
  campaign.arms[0].input_wait_ms = 25;
  campaign.arms.push_back(reference_arm("reference", 100));
  for (int i = 0; i < 3; ++i) campaign.arms[std::size_t(i)].reference = 3;
  const CampaignSummary summary = summarize(campaign);
  const auto& settings = summary.sweep->settings;
  EXPECT_NEAR(settings[0].waits->share, .2, 1e-6);
  EXPECT_EQ(settings[0].waits->of_reference, 0);
  EXPECT_EQ(settings[0].waits->limit, Limit::kInput);
  EXPECT_EQ(settings[1].waits->limit, Limit::kElsewhere);
  EXPECT_EQ(settings[2].waits->limit, Limit::kNothing);
}

SweepSpec spec_of(const std::vector<std::string>& values) {
  SweepSpec sweep;
  sweep.keys = {"input.workers"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    sweep.settings.push_back({ArmIndex{int(i)}, {values[i]}, 0, 0, int(i)});
  }
  return sweep;
}

TEST(SweepAnswer, lists_unresolved_settings_that_are_cheaper) {
  const SweepSpec sweep = spec_of({"1", "2", "4", "8"});
  const auto answer = cheapest_setting(sweep, {kWorse, kUnresolved, kTied, kBest});
  EXPECT_EQ(answer.cheapest, 2u);
  EXPECT_THAT(answer.open, ElementsAre(1u));
  EXPECT_FALSE(cheapest_setting(sweep, {kWorse, kWorse, kUnresolved, kUnresolved}).cheapest);
}

TEST(SweepCurve, ascends_by_number_and_finds_its_knee) {
  const auto knee = [](const std::vector<std::string>& values,
                       const std::vector<Standing>& standings) {
    return *curve_of(spec_of(values), standings);
  };
  const SweepCurve found = knee({"8", "10", "1", "2"}, {kBest, kTied, kWorse, kTied});
  EXPECT_THAT(found.order, ElementsAre(2u, 3u, 0u, 1u));
  EXPECT_EQ(found.knee, Knee::kFound);
  EXPECT_EQ(found.at, 3u);
  const SweepCurve open = knee({"1", "2", "4"}, {kWorse, kUnresolved, kBest});
  EXPECT_EQ(open.knee, Knee::kOpen);
  EXPECT_EQ(open.at, 2u);
  EXPECT_EQ(knee({"1", "2", "4"}, {kWorse, kWorse, kBest}).knee, Knee::kBeyond);
  EXPECT_EQ(knee({"1", "2"}, {kTied, kBest}).at, 0u);
  EXPECT_EQ(knee({"uint8", "float32"}, {kWorse, kBest}).knee, Knee::kNone);
}

TEST(SweepCurve, is_that_of_a_key_whose_values_differ_in_all_settings) {
  SweepSpec sweep = spec_of({"1", "1", "2", "2"});
  EXPECT_FALSE(curve_of(sweep, {kBest, kTied, kTied, kTied}));
  sweep.keys.push_back("input.prefetch");
  for (int i = 0; i < 4; ++i) sweep.settings[std::size_t(i)].values.push_back(std::to_string(i));
  EXPECT_EQ(curve_of(sweep, {kBest, kTied, kTied, kTied})->key, 1u);
}

TEST(SweepLimit, holds_waiting_against_what_is_lacking) {
  EXPECT_EQ(limit_of(.995, .02, 0, .01), Limit::kNothing);
  EXPECT_EQ(limit_of(.9, .06, 0, .01), Limit::kInput);
  EXPECT_EQ(limit_of(.9, .06, .02, .01), Limit::kElsewhere);
}

}  // namespace
}  // namespace traceml
