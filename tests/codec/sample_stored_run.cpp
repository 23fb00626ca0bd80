#include <cmath>

#include "tests/codec/sample_parts.h"
#include "tests/codec/sample_runs.h"

namespace traceml::testing {

Sample stored_run() {
  Sample sample = passed_run();
  CampaignFacts& facts = sample.plan.facts;
  facts.pooled = true;
  facts.launches = 6;
  facts.max_blocks = 4;
  facts.gates.clear();
  GateSpec ratio = gate_spec("shipped against baselines/food101", GateKind::kMaxRegression, 1, 0);
  ratio.stored = StoredSpec{"baselines/food101", 0.08, {"commit"}};
  GateSpec raw = gate_spec("reference against baselines/food101", GateKind::kMaxRegression, 0, 0);
  raw.stored = ratio.stored;
  facts.stored_gates = {ratio, raw};
  GateResult failed = gate_from(ratio, Outcome::kFail, std::log(1.031), 0.007);
  GateResult open = gate_from(raw, Outcome::kInconclusive, 0.004, 0.031);
  for (GateResult* gate : {&failed, &open}) {
    gate->launches = 6;
    gate->order_effect.reset();
    gate->hodges_lehmann.reset();
    gate->hodges_lehmann_interval.reset();
    gate->unseen_fraction.reset();
    gate->mean_difference.reset();
    gate->stored = StoredComparison{};
    gate->stored->pin = 2;
    for (int i = 2; i <= 6; ++i) {
      gate->stored->campaigns.push_back("campaign " + std::to_string(i));
    }
  }
  failed.why = "at least +2.22 %, above the margin of +2.00 %";
  failed.stored->guard = ReferenceGuard{
      "reference", 0.08, Outcome::kInconclusive, 0.061, Interval{0.031, 0.091}, 0.052};
  failed.stored->treatments = {"commit: 1a2b3c4 here, 5d6e7f8 in campaign 2"};
  failed.stored->also_differ = {"kernel"};
  open.reason = Reason::kFingerprint;
  open.all_reasons = {Reason::kFingerprint};
  open.why = "device: 16 x B200 here, 16 x H200 in campaign 2; the estimate is advisory";
  sample.summary.gates = {failed, open};
  for (int number = 1; number <= 6; ++number) {
    sample.summary.launches.push_back(
        {number, 4, {Millis(171.6), Millis(175.5), Millis(175.4)}, {}});
  }
  sample.summary.outcome = Outcome::kFail;
  sample.summary.exit_code = 10;
  return sample;
}

}  // namespace traceml::testing
