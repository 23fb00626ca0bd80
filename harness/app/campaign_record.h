#pragma once
// A campaign of launches as a store keeps it, and as it is held against stored ones.

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/stored_baseline.h"
#include "harness/app/pooled_launches.h"

namespace traceml {

// What must be equal between machines that are compared: "device", "world_size", ...; on a CPU its
// model and cores, too.
std::map<std::string, std::string> machine_of(const std::vector<RunInfo>& infos);

// Fields whose launches do not agree hold all of their values: "a and b".
CampaignRecord record_of(const PooledLaunches& launches);

// Throws UsageError, opening with `out`, for a campaign that is no measurement to hold others
// against: fewer than three launches, ended by a limit of time, with times that mean nothing.
void require_sound(const std::string& out, const PooledLaunches& launches,
                   const CampaignRecord& record);

}  // namespace traceml
