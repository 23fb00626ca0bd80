// What forces INCONCLUSIVE, each with its sentence, through the whole path from records
// (docs/statistics.md, 2.9).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "harness/analysis/campaign.h"
#include "harness/analysis/validity.h"
#include "tests/analysis/synthetic_campaign.h"

namespace traceml {
namespace {

using synthetic::Campaign;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two ranks, candidate at 100 ms against a reference at 100 ms, at least 95 % asked for: PASS
// unless something is wrong.
struct SoundRun {
  Campaign campaign;
  CampaignFacts facts;
  std::vector<RankRecords> ranks;

  explicit SoundRun(const std::function<void(Campaign&)>& change = {}) {
    campaign.world_size = 2;
    campaign.noise = .003;
    campaign.with_steps = true;
    campaign.arms[0].reference = 1;
    campaign.arms[1].name = "reference";
    campaign.arms[1].input_free = true;
    campaign.arms[1].input_wait_ms = 0.01;
    campaign.gates = {synthetic::gate(GateKind::kMinFraction, 0, 1, 1 / .95 - 1)};
    if (change) change(campaign);
    facts = synthetic::facts_of(campaign);
    ranks = synthetic::records_of(campaign);
  }

  GateResult gate() const { return summarize_campaign(facts, ranks).gates.at(0); }

  void expect_inconclusive(Reason reason, const std::string& sentence) const {
    const CampaignSummary summary = summarize_campaign(facts, ranks);
    const GateResult& result = summary.gates.at(0);
    EXPECT_EQ(result.outcome, Outcome::kInconclusive);
    EXPECT_EQ(result.reason, reason) << name_of(result.reason.value_or(Reason::kBorderline));
    EXPECT_EQ(summary.reason, reason);
    EXPECT_EQ(summary.exit_code, 11);
    EXPECT_THAT(result.why, HasSubstr(sentence));
  }
};

TEST(Validity, a_sound_run_passes_and_says_what_it_proved) {
  const GateResult gate = SoundRun().gate();
  EXPECT_EQ(gate.outcome, Outcome::kPass);
  EXPECT_TRUE(gate.all_reasons.empty());
  EXPECT_THAT(gate.why, HasSubstr("more than the 95.00 % asked for"));
}

TEST(Validity, a_rank_without_any_records) {
  SoundRun run;
  run.ranks.pop_back();
  run.expect_inconclusive(Reason::kMissingRank, "rank 1 of 2 lacks windows");
  const CampaignSummary summary = summarize_campaign(run.facts, run.ranks);
  EXPECT_THAT(summary.missing_ranks, ElementsAre(Rank{1}));
  EXPECT_FALSE(summary.arms[0].wall_per_step);
  EXPECT_FALSE(summary.arms[0].global.step_cpu);
  ASSERT_EQ(summary.arms[0].ranks.size(), 1u);
  EXPECT_TRUE(summary.arms[0].ranks[0].figures.step_cpu);
  EXPECT_TRUE(summary.arms[0].ranks[0].wall_per_step);
  EXPECT_FALSE(summary.arms[0].step_distribution);
}

TEST(Validity, a_hole_in_one_ranks_windows) {
  SoundRun run;
  std::erase_if(run.ranks[1].windows, [](const WindowRecord& window) {
    return window.block == 3 && window.arm == ArmIndex{0};
  });
  run.expect_inconclusive(Reason::kMissingRank, "rank 1");
}

TEST(Validity, a_rank_that_died_early_leaves_too_few_blocks) {
  SoundRun run;
  std::erase_if(run.ranks[1].windows, [](const WindowRecord& window) { return window.block >= 4; });
  std::erase_if(run.ranks[0].windows, [](const WindowRecord& window) { return window.block >= 5; });
  run.expect_inconclusive(Reason::kTooFewUnits, "4 blocks are complete; the first verdict needs 6");
}

TEST(Validity, a_rank_that_died_between_looks_is_judged_at_the_last_complete_one) {
  SoundRun run;
  for (RankRecords& rank : run.ranks) {
    std::erase_if(rank.windows, [](const WindowRecord& window) { return window.block >= 8; });
  }
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
  EXPECT_EQ(run.gate().blocks, 6);
}

TEST(Validity, times_that_are_none) {
  for (const Nanos length : {Nanos(0), Nanos(-5)}) {
    SoundRun run;
    WindowRecord& window = run.ranks[1].windows[3];
    window.end_host = window.start_host + length;
    run.expect_inconclusive(Reason::kNonfiniteOrNonpositiveTime, "which is no time");
    EXPECT_FALSE(run.gate().theta);
  }
  SoundRun run;
  run.ranks[1].windows[3].steps = 0;
  EXPECT_EQ(run.gate().outcome, Outcome::kInconclusive);
}

TEST(Validity, a_bad_time_after_the_gate_closed_does_not_matter) {
  SoundRun run;
  run.ranks[0].windows.back().end_host = Nanos(0);
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
}

TEST(Validity, a_loss_that_is_not_finite) {
  SoundRun run;
  for (RankRecords& rank : run.ranks) {
    for (WindowRecord& window : rank.windows) window.loss_first = window.loss_last = 2.0;
  }
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
  run.ranks[0].windows[2].loss_last = std::numeric_limits<double>::quiet_NaN();
  run.expect_inconclusive(Reason::kNonfiniteLoss, "the last loss of rank 0");
}

TEST(Validity, an_environment_that_distorts_times) {
  SoundRun run;
  run.facts.distortions = {"CUDA_LAUNCH_BLOCKING=1"};
  run.expect_inconclusive(Reason::kDistortingEnvironment, "CUDA_LAUNCH_BLOCKING=1");
}

TEST(Validity, windows_that_are_no_multiple_of_the_period) {
  SoundRun run;
  run.facts.period = 5;
  run.facts.settle_steps = 5;
  run.expect_inconclusive(Reason::kPhaseMisaligned,
                          "a window of 8 steps is no multiple of the stall period of 5");
}

TEST(Validity, the_period_of_the_campaign_overrules_that_of_an_arm) {
  SoundRun run;
  run.facts.arms[0].period = 5;
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
}

TEST(Validity, settle_steps_that_shift_the_phase) {
  SoundRun run;
  run.facts.period = 4;
  run.facts.settle_steps = 6;
  run.expect_inconclusive(Reason::kPhaseMisaligned, "a settle phase of 6 steps");
}

TEST(Validity, windows_of_different_lengths_in_one_block) {
  SoundRun run;
  for (RankRecords& rank : run.ranks) rank.windows[2].steps = 16;
  run.expect_inconclusive(Reason::kPhaseMisaligned, "steps");
}

void set_queues(SoundRun& run, std::int64_t start, std::int64_t end) {
  for (WindowRecord& window : run.ranks[1].windows) {
    if (window.arm != ArmIndex{0}) continue;
    window.queue_start = start;
    window.queue_end = end;
  }
}

TEST(Validity, a_queue_that_shrinks_over_the_windows) {
  SoundRun run;
  set_queues(run, 2, 2);
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
  set_queues(run, 2, 1);
  run.expect_inconclusive(Reason::kQueueCredit, "of shipped on rank 1 shrank by");
  set_queues(run, 1, 2);
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
}

TEST(Validity, one_batch_in_all_is_the_resolution_of_the_queues_depth) {
  SoundRun run;
  set_queues(run, 2, 2);
  run.ranks[1].windows[0].queue_start = 2;
  run.ranks[1].windows[0].queue_end = 1;
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
}

TEST(Validity, a_window_shorter_than_twice_the_queue) {
  const SoundRun run([](Campaign& campaign) { campaign.arms[0].queue_capacity = 5; });
  run.expect_inconclusive(Reason::kQueueCredit, "shorter than twice the queue of shipped (5");
  const SoundRun enough([](Campaign& campaign) { campaign.arms[0].queue_capacity = 4; });
  EXPECT_EQ(enough.gate().outcome, Outcome::kPass);
}

TEST(Validity, a_reference_that_waits_for_input_itself) {
  const SoundRun run([](Campaign& campaign) { campaign.arms[1].input_wait_ms = 1.1; });
  run.expect_inconclusive(Reason::kReferenceInvalid, "reference itself waited for input for 1.1");
  const SoundRun almost([](Campaign& campaign) { campaign.arms[1].input_wait_ms = 0.9; });
  EXPECT_EQ(almost.gate().outcome, Outcome::kPass);
}

TEST(Validity, a_reference_without_instrumented_windows) {
  const SoundRun run([](Campaign& campaign) { campaign.arms[1].instrument = Instrument::kNone; });
  run.expect_inconclusive(Reason::kReferenceUnchecked, "no instrumented window of reference");
}

TEST(Validity, a_regression_gate_needs_no_check_of_its_baseline) {
  const SoundRun run([](Campaign& campaign) {
    campaign.arms[1].instrument = Instrument::kNone;
    campaign.gates[0].kind = GateKind::kMaxRegression;
  });
  EXPECT_EQ(run.gate().outcome, Outcome::kPass);
}

TEST(Validity, steps_that_still_get_faster_within_each_window) {
  SoundRun run;
  for (RankRecords& rank : run.ranks) {
    for (StepRecord& step : rank.steps) {
      // Thirds of two steps; all phases of the first two timed ones take 10 % longer.
      if (step.step.value > 2) continue;
      for (auto& phase : step.phases) {
        if (phase) *phase->host += *phase->host / 10;
      }
    }
  }
  run.expect_inconclusive(Reason::kNotSteady, "warm up longer");
}

TEST(Validity, a_verdict_taken_away_by_its_steps_does_not_reopen_the_gate) {
  const SoundRun run([](Campaign& campaign) { campaign.arms[1].input_wait_ms = 5; });
  const LookDecision decision = decide_at_look(run.facts, run.ranks, 6);
  EXPECT_TRUE(decision.stop);
  EXPECT_EQ(decision.gates[0].outcome, Outcome::kPass);  // windows are all that a look has
  EXPECT_EQ(run.gate().look, 6);
  EXPECT_EQ(run.gate().outcome, Outcome::kInconclusive);
}

TEST(Validity, a_gate_beyond_hope_needs_no_more_blocks) {
  SoundRun run([](Campaign& campaign) { campaign.gates[0].delta = .0001; });
  EXPECT_FALSE(decide_at_look(run.facts, run.ranks, 6).stop);
  run.facts.distortions = {"NCCL_DEBUG=TRACE"};
  EXPECT_TRUE(decide_at_look(run.facts, run.ranks, 6).stop);
}

TEST(Validity, a_voided_pair_is_left_out_whole_and_listed) {
  SoundRun run;
  run.ranks[1].windows[2].void_reason = "a foreign process used the device";
  run.ranks[1].windows[2].end_host = Nanos(0);  // neither its time nor its loss matters
  run.ranks[1].windows[2].loss_last = std::numeric_limits<double>::quiet_NaN();
  const CampaignSummary summary = summarize_campaign(run.facts, run.ranks);
  EXPECT_EQ(summary.gates[0].blocks_voided, 1);
  EXPECT_EQ(summary.gates[0].blocks, 9);  // five pairs at look 6 are too few, nine at 10 are not
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kPass);
  EXPECT_THAT(summary.warnings, ::testing::Contains(HasSubstr("a foreign process used")));
}

TEST(Validity, more_than_a_fifth_of_voided_pairs_is_too_few) {
  SoundRun run([](Campaign& campaign) { campaign.blocks = campaign.max_blocks = 10; });
  for (WindowRecord& window : run.ranks[0].windows) {
    if (window.block < 3) window.void_reason = "throttled";
  }
  run.expect_inconclusive(Reason::kTooFewUnits, "3 of 10 pairs were voided");
}

TEST(Validity, pairs_that_all_ran_in_one_order_know_no_order_effect) {
  const SoundRun run([](Campaign& campaign) { campaign.in_turn = true; });
  run.expect_inconclusive(Reason::kTooFewUnits, "in the same order");
}

TEST(Validity, the_headline_is_the_first_by_precedence_and_all_are_listed) {
  SoundRun run([](Campaign& campaign) {
    campaign.arms[1].input_wait_ms = 5;
    campaign.arms[0].queue_capacity = 100;
  });
  run.facts.distortions = {"NCCL_DEBUG=TRACE"};
  run.ranks[0].windows[0].loss_first = std::numeric_limits<double>::infinity();
  EXPECT_THAT(run.gate().all_reasons,
              ElementsAre(Reason::kNonfiniteLoss, Reason::kDistortingEnvironment,
                          Reason::kQueueCredit, Reason::kReferenceInvalid));
}

TEST(Validity, a_wide_interval_says_how_wide) {
  const SoundRun run([](Campaign& campaign) {
    campaign.noise = .10;
    campaign.blocks = campaign.max_blocks = 6;
  });
  run.expect_inconclusive(Reason::kWideInterval, "more than twice the 5.00 % that the margin");
}

std::vector<Reason> indecision(double lower, double upper, std::vector<double> ratios) {
  const GateSpec gate = synthetic::gate(GateKind::kMaxRegression, 0, 1, .02);
  GateRule rule;
  rule.bound = std::log(1.02);
  Judgement judgement;
  judgement.interval = {lower, upper};
  std::vector<Reason> reasons;
  for (const Finding& finding : indecision_findings(gate, rule, judgement, ratios)) {
    reasons.push_back(finding.reason);
  }
  return reasons;
}

TEST(Validity, an_interval_is_wide_beyond_twice_the_margin) {
  const double margin = std::log(1.02);
  const std::vector<double> ratios(6, .01);  // six values: no interval of Hodges and Lehmann
  EXPECT_THAT(indecision(0, 1.99 * margin, ratios), ElementsAre(Reason::kBorderline));
  EXPECT_THAT(indecision(0, 2.01 * margin, ratios), ElementsAre(Reason::kWideInterval));
}

TEST(Validity, interference_is_suspected_only_where_hodges_and_lehmann_would_decide) {
  std::vector<double> ratios(20, .001);
  ratios.back() = .4;  // at 10 values one such is enough to widen their interval too
  EXPECT_THAT(indecision(-.02, .03, ratios),
              ElementsAre(Reason::kInterferenceSuspected, Reason::kWideInterval));
  for (std::size_t i = 0; i + 1 < ratios.size(); ++i) ratios[i] = i % 2 == 0 ? .015 : .025;
  EXPECT_THAT(indecision(0, .03, ratios), ElementsAre(Reason::kBorderline));
}

TEST(Validity, names_equal_the_documents) {
  EXPECT_EQ(name_of(Reason::kNonfiniteOrNonpositiveTime), "nonfinite_or_nonpositive_time");
  EXPECT_EQ(name_of(Reason::kTooFewUnits), "too_few_units");
  EXPECT_EQ(name_of(Reason::kBorderline), "borderline");
  EXPECT_EQ(name_of(Outcome::kInconclusive), "inconclusive");
  EXPECT_EQ(name_of(Direction::kFaster), "faster");
}

}  // namespace
}  // namespace traceml
