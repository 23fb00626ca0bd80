#pragma once
// A sweep over invented settings of known wall times: arm i is setting i and costs more than arm
// i - 1.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/analysis/campaign.h"
#include "tests/analysis/synthetic_campaign.h"

namespace traceml {

inline synthetic::Campaign swept(const std::vector<double>& step_ms, double noise = .003) {
  synthetic::Campaign campaign;
  campaign.arms.clear();
  for (std::size_t i = 0; i < step_ms.size(); ++i) {
    synthetic::Arm arm;
    arm.name = "shipped[workers=" + std::to_string(i) + "]";
    arm.step_ms = step_ms[i];
    campaign.arms.push_back(arm);
  }
  campaign.noise = noise;
  return campaign;
}

inline synthetic::Arm reference_arm(const std::string& name, double step_ms) {
  synthetic::Arm arm;
  arm.name = name;
  arm.step_ms = step_ms;
  arm.input_wait_ms = 0;
  arm.input_free = true;
  return arm;
}

inline CampaignFacts sweep_facts(const synthetic::Campaign& campaign, double delta = .01) {
  CampaignFacts facts = synthetic::facts_of(campaign);
  SweepSpec& sweep = facts.sweep.emplace();
  sweep.arm = "shipped";
  sweep.keys = {"input.workers"};
  sweep.delta = delta;
  for (int i = 0; i < static_cast<int>(facts.arms.size()); ++i) {
    if (facts.arms[static_cast<std::size_t>(i)].input_free) {
      sweep.common_reference = ArmIndex{i};
      continue;
    }
    sweep.settings.push_back({ArmIndex{i}, {std::to_string(i)}, i, 0, i});
  }
  return facts;
}

inline std::vector<Standing> standings_of(const CampaignSummary& summary) {
  std::vector<Standing> standings;
  for (const SettingResult& setting : summary.sweep->settings) {
    standings.push_back(setting.standing);
  }
  return standings;
}

}  // namespace traceml
