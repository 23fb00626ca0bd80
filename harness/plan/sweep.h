#pragma once
// A sweep: how its settings become arms, and what of them is told to the analysis.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/plan/config.h"
#include "harness/plan/plan.h"

namespace traceml {

// The arms as the user wrote them: without hidden ones and those of the sweep, with the swept arm.
std::vector<ArmConfig> written_arms(const Config& config);

// "shipped[workers=2,dtype=uint8]": leaves of the keys' paths, whole paths where two keys of the
// sweep have one leaf. `texts` are by `keys`. A value that is no plain word is its number among the
// values of its key: "#2".
std::string name_of_setting(const std::string& arm, const std::vector<std::string>& keys,
                            const std::vector<std::string>& texts,
                            const std::vector<std::vector<std::string>>& values_of_keys);

// Adds the settings of the sweep behind the arms that are there, and an input-free arm for each
// kind of batch that has none. The swept arm itself is taken out unless a gate names it. Throws
// UsageError for an arm that is a command, two equal settings, and more arms than a launch can
// interleave. Nothing without a sweep.
void expand_sweep(Config* config);

// What a setting costs, cheapest first: fewer loader threads a rank, then less host memory of the
// loader, then the order in which the settings are written.
bool is_cheaper(const SweepSetting& one, const SweepSetting& other);
inline constexpr const char* kCostInWords =
    "fewest loader threads a rank, then least host memory of the loader, then the order as written";

// Of a plan whose arms, looks and queues are there. Throws UsageError for what no run can answer:
// several launches, blocks that end with the choice, a margin that one launch cannot
// judge. nullopt without a sweep.
std::optional<SweepSpec> sweep_of(const Plan& plan);

}  // namespace traceml
