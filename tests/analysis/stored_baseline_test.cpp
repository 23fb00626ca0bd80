#include "harness/analysis/stored_baseline.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/analysis/stored_campaigns.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ln(T / T_reference) with mean .011 and variance 2.5e-6; references of about 40 ms, 0.1 % apart.
PinnedBaseline five_campaigns() {
  return stored::pinned({
      stored::campaign_of(40.00, .010, "campaign 1"),
      stored::campaign_of(40.04, .012, "campaign 2"),
      stored::campaign_of(39.96, .009, "campaign 3"),
      stored::campaign_of(40.02, .011, "campaign 4"),
      stored::campaign_of(39.98, .013, "campaign 5"),
  });
}

GateResult judge_candidate(const CampaignRecord& candidate,
                           const PinnedBaseline& baseline = five_campaigns(),
                           const CampaignFacts& facts = stored::facts_of(),
                           std::vector<Finding> findings = {}) {
  return judge_against_stored(facts, facts.stored_gates.at(0), {candidate}, baseline,
                              std::move(findings));
}

TEST(StoredBaseline, takes_the_campaign_as_its_unit) {
  // By hand: theta = .050 - .011; se = sqrt(2.5e-6 * (1 + 1/5)) = sqrt(3e-6); df = 4,
  // t_.95 = 2.131847, t_.8 = .940965.
  const std::vector<double> campaigns = {.010, .012, .009, .011, .013};
  const auto estimate = stored_estimate(campaigns, std::vector<double>{.050});
  ASSERT_TRUE(estimate && estimate->spread);
  EXPECT_NEAR(estimate->theta, .039, 1e-12);
  EXPECT_NEAR(estimate->spread->se, .00173205, 1e-8);
  EXPECT_EQ(estimate->spread->df, 4);
  EXPECT_NEAR(*stored_minimum_detectable(campaigns, .05),
              std::expm1((2.131847 + .940965) * .00173205), 1e-7);
  EXPECT_FALSE(stored_estimate(std::vector<double>{.01}, std::vector<double>{.05}));
  EXPECT_FALSE(stored_estimate(campaigns, {}));
  EXPECT_FALSE(stored_minimum_detectable({}, .05));
}

TEST(StoredBaseline, shares_alpha_over_the_gate_and_its_guard_for_failures_alone) {
  const GateResult gate = judge_candidate(stored::campaign_of(40, .050));
  EXPECT_NEAR(*gate.theta, .039, 1e-12);
  EXPECT_NEAR(gate.interval->lower, .039 - 2.131847 * .00173205, 1e-7);
  EXPECT_NEAR(gate.interval->upper, .039 + 2.131847 * .00173205, 1e-7);
  EXPECT_NEAR(*gate.fail_lower, .039 - 2.776445 * .00173205, 1e-7);  // t_.975: two claims
  EXPECT_EQ(gate.outcome, Outcome::kFail);
  EXPECT_EQ(gate.direction, Direction::kSlower);
  EXPECT_EQ(gate.launches, 3);
  ASSERT_TRUE(gate.stored);
  EXPECT_THAT(gate.stored->campaigns,
              ElementsAre("campaign 1", "campaign 2", "campaign 3", "campaign 4", "campaign 5"));
}

TEST(StoredBaseline, averages_the_launches_of_a_campaign) {
  const CampaignRecord candidate =
      stored::campaign_of(std::vector<stored::Launch>{{40, .01}, {40, .02}, {40, .06}});
  EXPECT_NEAR(*log_ratio_to_reference(candidate, "shipped"), .03, 1e-12);
  EXPECT_NEAR(*log_wall_of(candidate, "shipped"), std::log(40) + .03, 1e-12);
  EXPECT_NEAR(*judge_candidate(candidate).theta, .03 - .011, 1e-12);
}

TEST(StoredBaseline, passes_an_equal_campaign) {
  const GateResult gate = judge_candidate(stored::campaign_of(40.01, .0115));
  EXPECT_EQ(gate.outcome, Outcome::kPass);
  EXPECT_FALSE(gate.reason);
  EXPECT_THAT(gate.why, HasSubstr("below the margin of +2.00 %"));
  ASSERT_TRUE(gate.stored->guard);
  EXPECT_EQ(gate.stored->guard->outcome, Outcome::kPass);
  EXPECT_EQ(gate.stored->guard->arm, "reference");
}

TEST(StoredBaseline, meets_its_margin_exactly_without_a_verdict) {
  const GateResult gate = judge_candidate(stored::campaign_of(40, .011 + std::log(1.02)));
  EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
  EXPECT_EQ(gate.reason, Reason::kBorderline);
}

TEST(StoredBaseline, is_blind_to_what_slows_both_arms_until_the_guard_fails) {
  const GateResult common = judge_candidate(stored::campaign_of(40 * 1.04, .011));
  EXPECT_EQ(common.outcome, Outcome::kPass);
  EXPECT_NEAR(*common.stored->guard->theta, std::log(1.04), 1e-6);
  const GateResult far = judge_candidate(stored::campaign_of(40 * 1.30, .011));
  EXPECT_EQ(far.outcome, Outcome::kFail);
  EXPECT_EQ(far.stored->guard->outcome, Outcome::kFail);
  EXPECT_THAT(far.why, HasSubstr("reference itself takes +30.00 %"));
  EXPECT_FALSE(far.reason);
}

TEST(StoredBaseline, sees_what_slows_both_arms_in_a_gate_on_the_raw_time) {
  const CampaignFacts facts = stored::facts_of_raw();
  const GateResult gate =
      judge_candidate(stored::campaign_of(40 * 1.04, .011), five_campaigns(), facts);
  EXPECT_EQ(gate.outcome, Outcome::kFail);
  EXPECT_FALSE(gate.stored->guard);
  EXPECT_NEAR(*gate.theta, std::log(1.04), 1e-6);
}

TEST(StoredBaseline, passes_where_the_guard_alone_has_no_verdict) {
  PinnedBaseline noisy = five_campaigns();
  const std::vector<double> times = {36, 44, 40, 37, 43};  // the ratio does not see it
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (StoredLaunch& launch : noisy.campaigns[i].arms["reference"].launches) {
      launch.wall = Millis{times[i]};
    }
  }
  const GateResult gate = judge_candidate(stored::campaign_of(40, .011), noisy);
  EXPECT_EQ(gate.stored->guard->outcome, Outcome::kInconclusive);
  EXPECT_EQ(gate.outcome, Outcome::kPass);
}

// Oracle 13 of docs/statistics.md, section 4.
TEST(StoredBaseline, has_no_verdict_on_four_campaigns_and_says_that_the_estimate_is_advisory) {
  PinnedBaseline four = five_campaigns();
  four.campaigns.pop_back();
  const GateResult gate = judge_candidate(stored::campaign_of(80, .5), four);
  EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
  EXPECT_EQ(gate.reason, Reason::kBaselineCampaigns);
  EXPECT_EQ(gate.why, "4 pinned campaigns; a verdict needs five; the estimate is advisory");
  EXPECT_NEAR(*gate.theta, .5 - .0105, 1e-12);
}

TEST(StoredBaseline, names_a_lack_of_campaigns_pins_and_launches) {
  PinnedBaseline none;
  EXPECT_EQ(judge_candidate(stored::campaign_of(40, .011), none).why,
            "0 pinned campaigns; a verdict needs five");
  none.stored = 6;
  EXPECT_EQ(judge_candidate(stored::campaign_of(40, .011), none).why,
            "6 campaigns are stored and none is pinned; a verdict needs five pinned ones");
  const auto two = std::vector<stored::Launch>(2);
  const GateResult few = judge_candidate(stored::campaign_of(two));
  EXPECT_EQ(few.reason, Reason::kBaselineCampaigns);
  EXPECT_THAT(few.why, HasSubstr("this campaign has 2 valid launches of shipped"));
  PinnedBaseline thin = five_campaigns();
  thin.campaigns[2] = stored::campaign_of(two, "campaign 3");
  EXPECT_THAT(judge_candidate(stored::campaign_of(40, .011), thin).why,
              HasSubstr("campaign 3 has 2 valid launches"));
  PinnedBaseline one = stored::pinned({stored::campaign_of(40, .01, "campaign 1")});
  const GateResult single = judge_candidate(stored::campaign_of(40, .011), one);
  EXPECT_THAT(single.all_reasons, ElementsAre(Reason::kSingleRun, Reason::kBaselineCampaigns));
  EXPECT_NEAR(*single.theta, .001, 1e-12);
}

TEST(StoredBaseline, lacks_an_arm_that_a_stored_campaign_has_without_a_reference) {
  PinnedBaseline baseline = five_campaigns();
  for (StoredLaunch& launch : baseline.campaigns[1].arms["shipped"].launches) {
    launch.log_ratio.reset();
  }
  const GateResult gate = judge_candidate(stored::campaign_of(40, .5), baseline);
  EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
  EXPECT_EQ(gate.reason, Reason::kBaselineCampaigns);
}

TEST(StoredBaseline, is_not_held_against_itself) {
  CampaignRecord candidate = stored::campaign_of(40, .011);
  candidate.runs = {"new", "run of campaign 3"};
  const GateResult gate = judge_candidate(candidate);
  EXPECT_EQ(gate.reason, Reason::kBaselineCampaigns);
  EXPECT_THAT(gate.why, HasSubstr("this campaign is itself campaign 3"));
}

TEST(StoredBaseline, names_the_field_of_a_fingerprint_that_differs) {
  CampaignRecord candidate = stored::campaign_of(40, .5);
  candidate.machine["device"] = "B200";
  GateResult gate = judge_candidate(candidate);
  EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
  EXPECT_EQ(gate.reason, Reason::kFingerprint);
  EXPECT_EQ(gate.why, "device: B200 here, H200 in campaign 1; the estimate is advisory");

  candidate = stored::campaign_of(40, .5);
  candidate.arms["shipped"].settings["input.workers"] = "4";
  EXPECT_THAT(judge_candidate(candidate).why, HasSubstr("input.workers: 4 here, 8 in campaign 1"));

  candidate = stored::campaign_of(40, .5);
  candidate.machine.erase("world_size");
  EXPECT_THAT(judge_candidate(candidate).why, HasSubstr("world_size: none here, 2 in campaign 1"));
}

TEST(StoredBaseline, judges_a_treatment_and_forbids_other_software) {
  CampaignRecord candidate = stored::campaign_of(40, .050);
  candidate.software["driver"] = "590.0";
  EXPECT_EQ(judge_candidate(candidate).reason, Reason::kFingerprint);
  CampaignFacts facts = stored::facts_of();
  facts.stored_gates[0].stored->treatment = {"commit", "driver"};
  const GateResult gate = judge_candidate(candidate, five_campaigns(), facts);
  EXPECT_EQ(gate.outcome, Outcome::kFail);
  EXPECT_THAT(gate.stored->treatments, ElementsAre("driver: 590.0 here, 580.1 in campaign 1"));
}

TEST(StoredBaseline, records_nodes_and_kernels_without_comparing_them) {
  CampaignRecord candidate = stored::campaign_of(40, .011);
  candidate.recorded["kernel"] = "6.6";
  const GateResult gate = judge_candidate(candidate);
  EXPECT_EQ(gate.outcome, Outcome::kPass);
  EXPECT_THAT(gate.stored->also_differ, ElementsAre("kernel"));
}

TEST(StoredBaseline, has_no_verdict_on_a_campaign_that_is_no_measurement) {
  const GateResult gate =
      judge_candidate(stored::campaign_of(80, .5), five_campaigns(), stored::facts_of(),
                      {{Reason::kDistortingEnvironment, "CUDA_LAUNCH_BLOCKING=1"}});
  EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
  EXPECT_EQ(gate.why, "CUDA_LAUNCH_BLOCKING=1; the estimate is advisory");
}

TEST(StoredBaseline, counts_its_claims_beside_those_of_other_gates) {
  CampaignFacts facts = stored::facts_of();
  EXPECT_EQ(claims_of(facts), 2);
  facts.gates.resize(3);
  EXPECT_EQ(claims_of(facts), 5);
  EXPECT_EQ(claims_of(CampaignFacts{}), 1);
  EXPECT_EQ(claims_of(stored::facts_of_raw()), 1);
}

std::vector<CampaignRecord> three_candidates() {
  return {stored::campaign_of(40, .048, "night 6"), stored::campaign_of(40, .050, "night 7"),
          stored::campaign_of(40, .055, "night 8")};
}

GateResult judge_together(const std::vector<CampaignRecord>& candidates) {
  const CampaignFacts facts = stored::facts_of();
  return judge_against_stored(facts, facts.stored_gates.at(0), candidates, five_campaigns(), {});
}

TEST(StoredBaseline, pools_the_spread_of_several_candidates) {
  // By hand: theta = .051 - .011; squares 1e-5 and 2.6e-5, s^2 = 3.6e-5 / 6,
  // se = sqrt(6e-6 * (1/5 + 1/3)); df = 5 + 3 - 2, t_.95 = 1.943180.
  const auto estimate = stored_estimate(std::vector<double>{.010, .012, .009, .011, .013},
                                        std::vector<double>{.048, .050, .055});
  ASSERT_TRUE(estimate && estimate->spread);
  EXPECT_NEAR(estimate->theta, .040, 1e-12);
  EXPECT_NEAR(estimate->spread->sd, std::sqrt(6e-6), 1e-10);
  EXPECT_NEAR(estimate->spread->se, .001788854, 1e-9);
  EXPECT_EQ(estimate->spread->df, 6);
  const GateResult gate = judge_together(three_candidates());
  EXPECT_EQ(gate.outcome, Outcome::kFail);
  EXPECT_NEAR(gate.interval->lower, .040 - 1.943180 * .001788854, 1e-8);
  EXPECT_EQ(gate.launches, 9);
  EXPECT_EQ(gate.stored->candidates, 3);
}

TEST(StoredBaseline, judges_together_only_what_is_one_candidate) {
  std::vector<CampaignRecord> candidates = three_candidates();
  candidates[1].software["commit"] = "b";
  candidates[2].arms["shipped"].launches.pop_back();
  GateResult gate = judge_together(candidates);
  EXPECT_THAT(gate.all_reasons, ElementsAre(Reason::kFingerprint, Reason::kBaselineCampaigns));
  EXPECT_THAT(gate.why, HasSubstr("night 7 and night 6 are no one candidate (commit: b here, a in "
                                  "night 6)"));
  candidates = three_candidates();
  candidates[2].arms["shipped"].launches.pop_back();
  EXPECT_THAT(judge_together(candidates).why, HasSubstr("night 8 has 2 valid launches of shipped"));
  candidates = three_candidates();
  candidates[2].runs = candidates[1].runs = {"a run of both"};
  EXPECT_THAT(judge_together(candidates).why,
              HasSubstr("night 7 and night 8 are one campaign, which counts once"));
}

}  // namespace
}  // namespace traceml
