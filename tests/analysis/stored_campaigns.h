#pragma once
// Campaigns with known values for tests of stored baselines: arm `shipped` beside its input-free
// `reference`.

#include <cmath>
#include <string>
#include <vector>

#include "harness/analysis/stored_baseline.h"

namespace traceml::stored {

inline constexpr int kShipped = 0;
inline constexpr int kReference = 1;

// One launch of each: the reference takes reference_ms, shipped exp(log_ratio) times that.
struct Launch {
  double reference_ms = 40;
  double log_ratio = 0.02;
};

inline CampaignRecord campaign_of(const std::vector<Launch>& launches,
                                  const std::string& name = "") {
  CampaignRecord campaign;
  campaign.name = name;
  campaign.runs = {"run of " + (name.empty() ? "the candidate" : name)};
  campaign.machine = {{"device", "H200"}, {"world_size", "2"}};
  campaign.software = {{"commit", "a"}, {"driver", "580.1"}};
  campaign.recorded = {{"kernel", "6.1"}};
  StoredArm shipped{"reference", {{"input.workers", "8"}}, {}};
  StoredArm reference{"", {{"input.source", "synthetic"}}, {}};
  for (const Launch& launch : launches) {
    shipped.launches.push_back(
        {Millis{launch.reference_ms * std::exp(launch.log_ratio)}, launch.log_ratio});
    reference.launches.push_back({Millis{launch.reference_ms}, std::nullopt});
  }
  campaign.arms = {{"shipped", shipped}, {"reference", reference}};
  return campaign;
}

// Three equal launches.
inline CampaignRecord campaign_of(double reference_ms, double log_ratio,
                                  const std::string& name = "") {
  return campaign_of(std::vector<Launch>(3, Launch{reference_ms, log_ratio}), name);
}

inline CampaignFacts facts_of(double delta = 0.02) {
  CampaignFacts facts;
  facts.pooled = true;
  facts.launches = 6;
  facts.max_blocks = 4;
  facts.arms.resize(2);
  facts.arms[kShipped].name = "shipped";
  facts.arms[kShipped].reference = ArmIndex{kReference};
  facts.arms[kReference].name = "reference";
  facts.arms[kReference].input_free = true;
  GateSpec gate;
  gate.name = "shipped against baselines/food101";
  gate.candidate = {kShipped};
  gate.baseline = {kReference};
  gate.delta = delta;
  gate.stored = StoredSpec{"baselines/food101", 0.08, {}};
  facts.stored_gates = {gate};
  return facts;
}

// A gate on the raw time of the reference alone.
inline CampaignFacts facts_of_raw(double delta = 0.02) {
  CampaignFacts facts = facts_of(delta);
  facts.stored_gates[0].candidate = {kReference};
  facts.stored_gates[0].name = "reference against baselines/food101";
  return facts;
}

inline PinnedBaseline pinned(std::vector<CampaignRecord> campaigns) {
  PinnedBaseline baseline;
  baseline.pin = 1;
  baseline.stored = static_cast<int>(campaigns.size());
  baseline.campaigns = std::move(campaigns);
  return baseline;
}

}  // namespace traceml::stored
