#pragma once
// What must be equal between a campaign and the stored ones that it is held against
// (docs/statistics.md, 2.8).

#include <string>
#include <vector>

#include "harness/analysis/stored_baseline.h"

namespace traceml {

struct FingerprintDifferences {
  std::vector<std::string> forbidden;    // "device: cpu here, fake in campaign 1"
  std::vector<std::string> treatments;   // the same of fields that may differ
  std::vector<std::string> also_differ;  // names of recorded facts
};

// A field that one side lacks is "none" there. Each field is told once, with the first campaign
// that differs.
FingerprintDifferences fingerprint_differences(const CampaignRecord& candidate,
                                               const std::vector<CampaignRecord>& baseline,
                                               const std::string& arm,
                                               const std::vector<std::string>& treatment);

}  // namespace traceml
