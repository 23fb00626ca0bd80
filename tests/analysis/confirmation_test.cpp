#include "harness/analysis/confirmation.h"

#include <gmock/gmock.h>

#include "harness/analysis/campaign.h"
#include "tests/analysis/stored_campaigns.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One gate on stored campaigns with this verdict.
CampaignSummary judged(Outcome outcome, bool confirm = true) {
  CampaignSummary summary;
  GateResult gate;
  gate.spec = stored::facts_of().stored_gates[0];
  gate.spec.stored->confirm_on_fail = confirm;
  gate.outcome = outcome;
  gate.look = 6;
  gate.theta = outcome == Outcome::kFail ? .04 : .001;
  gate.why = outcome == Outcome::kFail ? "at least +3.9 %" : "at most +0.5 %";
  gate.stored = StoredComparison{};
  if (outcome == Outcome::kInconclusive) {
    gate.reason = Reason::kWideInterval;
    gate.why = "too wide";
  }
  summary.gates = {gate};
  judge_overall(summary);
  return summary;
}

CampaignSummary confirmed(const CampaignSummary& second, bool confirm = true) {
  CampaignSummary first = judged(Outcome::kFail, confirm);
  confirm_failures(&second, first);
  return first;
}

TEST(Confirmation, fails_where_both_campaigns_fail) {
  const CampaignSummary summary = confirmed(judged(Outcome::kFail));
  EXPECT_EQ(summary.exit_code, 10);
  const GateResult& gate = summary.gates[0];
  EXPECT_EQ(gate.outcome, Outcome::kFail);
  EXPECT_FALSE(gate.reason);
  EXPECT_EQ(gate.look, 6);
  EXPECT_EQ(gate.why, "at least +3.9 %; measured again: at least +3.9 %");
  EXPECT_EQ(gate.stored->confirmation->outcome, Outcome::kFail);
}

TEST(Confirmation, never_passes_what_failed_at_first) {
  for (const Outcome second : {Outcome::kPass, Outcome::kInconclusive}) {
    const CampaignSummary summary = confirmed(judged(second));
    EXPECT_EQ(summary.exit_code, 11);
    EXPECT_EQ(summary.reason, Reason::kNotConfirmed);
    const GateResult& gate = summary.gates[0];
    EXPECT_EQ(gate.outcome, Outcome::kInconclusive);
    EXPECT_THAT(gate.all_reasons, ElementsAre(Reason::kNotConfirmed));
    EXPECT_THAT(gate.why, HasSubstr("the first campaign fails (at least +3.9 %), and the second "
                                    "does not ("));
    EXPECT_EQ(gate.stored->confirmation->outcome, second);
    EXPECT_EQ(gate.look, 0);
  }
  EXPECT_THAT(confirmed(judged(Outcome::kInconclusive)).gates[0].why,
              HasSubstr("(wide_interval: too wide)"));
}

TEST(Confirmation, is_no_lack_of_units_that_a_gate_may_let_pass) {
  CampaignSummary first = judged(Outcome::kFail);
  first.gates[0].spec.inconclusive_passes = true;
  const CampaignSummary second = judged(Outcome::kPass);
  confirm_failures(&second, first);
  EXPECT_EQ(first.exit_code, 11);
  EXPECT_FALSE(counts_as_pass(first.gates[0]));
}

TEST(Confirmation, leaves_a_failure_open_until_the_second_campaign_is_whole) {
  CampaignSummary first = judged(Outcome::kFail);
  EXPECT_TRUE(awaits_confirmation(first));
  confirm_failures(nullptr, first);
  EXPECT_EQ(first.exit_code, 11);
  EXPECT_THAT(first.gates[0].why, HasSubstr("the second is not measured yet"));
  EXPECT_FALSE(first.gates[0].stored->confirmation->outcome);
}

TEST(Confirmation, changes_nothing_that_did_not_fail_or_does_not_ask_for_it) {
  CampaignSummary passed = judged(Outcome::kPass);
  EXPECT_FALSE(awaits_confirmation(passed));
  const CampaignSummary failed = judged(Outcome::kFail);
  confirm_failures(&failed, passed);
  EXPECT_EQ(passed.exit_code, 0);
  EXPECT_FALSE(passed.gates[0].stored->confirmation);
  const CampaignSummary plain = confirmed(judged(Outcome::kPass), false);
  EXPECT_EQ(plain.exit_code, 10);
  EXPECT_FALSE(plain.gates[0].stored->confirmation);
}

}  // namespace
}  // namespace traceml
