#pragma once
// Which keys say what an arm does, for the fingerprint of stored campaigns (docs/statistics.md,
// 2.8).

#include <map>
#include <string>

#include "harness/plan/config.h"

namespace traceml {

// Whether the key of a config, "input.workers", is one of them.
bool is_semantic_key(const std::string& path);

// Of workload, input and measure.instrument. Not workload.device, which a fingerprint names as it
// was resolved; nor plants and spin's costs, which stand for the speed that is judged.
std::map<std::string, std::string> semantic_settings(const Config& config, const ArmConfig& arm);

// A key that is younger than a stored campaign had its default there.
void add_younger_keys(std::map<std::string, std::string>* settings);

}  // namespace traceml
