#pragma once
// A candidate (arm 0) against a baseline (arm 1) of 100 ms a step: what most tests of a campaign
// need.

#include "harness/analysis/campaign.h"
#include "tests/analysis/synthetic_campaign.h"

namespace traceml {

inline synthetic::Campaign two_arms(double candidate_ms, double delta = .02) {
  synthetic::Campaign campaign;
  campaign.arms[0].step_ms = candidate_ms;
  campaign.arms[1].name = "baseline";
  campaign.noise = .003;
  campaign.gates = {synthetic::gate(GateKind::kMaxRegression, 0, 1, delta)};
  return campaign;
}

inline CampaignSummary summarize(const synthetic::Campaign& campaign) {
  return summarize_campaign(synthetic::facts_of(campaign), synthetic::records_of(campaign));
}

}  // namespace traceml
