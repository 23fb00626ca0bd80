#pragma once
// Stores of campaigns in words.

#include <string>

#include "harness/analysis/stored_baseline.h"
#include "harness/core/campaign.h"

namespace traceml {

// "shipped against baselines/food101 (pin 1, 5 campaigns) can see a change of 0.9 % of its ratio to
// reference, 3.1 % of the time of reference". Of a store that is no baseline yet, what it lacks.
std::string stored_power_line(const CampaignFacts& facts, const GateSpec& gate,
                              const PinnedBaseline& baseline);

// `number`: of a pin that names these campaigns, from 1.
struct PinInWords {
  std::string created_utc;
  std::string campaigns;  // "1 2 3 4 5"
};

// `baseline list`: every campaign, then every pin.
std::string render_baseline_list(const std::string& dir,
                                 const std::vector<CampaignRecord>& campaigns,
                                 const std::vector<PinInWords>& pins, const PinnedBaseline& pinned,
                                 int columns);

// `baseline show`: fingerprint, values and spread of the pinned campaigns.
std::string render_baseline(const std::string& dir, const PinnedBaseline& pinned, int columns);

}  // namespace traceml
