#include "harness/analysis/confirmation.h"

#include <algorithm>

#include "harness/analysis/campaign.h"

namespace traceml {

namespace {

const GateResult* gate_named(const CampaignSummary& summary, const std::string& name) {
  const auto found = std::find_if(summary.gates.begin(), summary.gates.end(),
                                  [&](const GateResult& gate) { return gate.spec.name == name; });
  return found == summary.gates.end() ? nullptr : &*found;
}

std::string with_reason(const GateResult& gate) {
  return gate.reason ? std::string(name_of(*gate.reason)) + ": " + gate.why : gate.why;
}

void confirm(const GateResult* second, const std::string& absent, GateResult& gate) {
  Confirmation& both = gate.stored->confirmation.emplace();
  both.first_why = gate.why;
  both.first_theta = gate.theta;
  if (second != nullptr) {
    both.outcome = second->outcome;
    both.theta = second->theta;
    both.interval = second->interval;
    both.why = with_reason(*second);
  }
  if (both.outcome == Outcome::kFail) {
    gate.why += "; measured again: " + both.why;
    return;
  }
  gate.outcome = Outcome::kInconclusive;
  gate.reason = Reason::kNotConfirmed;
  gate.all_reasons = {Reason::kNotConfirmed};
  gate.look = 0;
  gate.why = "the first campaign fails (" + both.first_why + "), and " +
             (both.outcome ? "the second does not (" + both.why + ")" : absent);
}

}  // namespace

bool awaits_confirmation(const GateResult& gate) {
  return gate.outcome == Outcome::kFail && gate.stored && gate.spec.stored->confirm_on_fail;
}

bool awaits_confirmation(const CampaignSummary& summary) {
  return std::any_of(summary.gates.begin(), summary.gates.end(),
                     [](const GateResult& gate) { return awaits_confirmation(gate); });
}

void confirm_failures(const CampaignSummary* second, CampaignSummary& first,
                      const std::string& absent) {
  for (GateResult& gate : first.gates) {
    if (!awaits_confirmation(gate)) continue;
    confirm(second == nullptr ? nullptr : gate_named(*second, gate.spec.name), absent, gate);
  }
  judge_overall(first);
}

}  // namespace traceml
