#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/core/campaign.h"

namespace traceml {

// For each gate with escalate_after: in how many runs of this config's name just before this one it
// gave no verdict. Looks at the folders beside `dir`; runs that ended early do not count either
// way.
std::map<std::string, std::int64_t> inconclusive_before(const std::string& dir,
                                                        const std::string& name,
                                                        const CampaignFacts& facts);

}  // namespace traceml
