#pragma once
// measure.noise_profile: a self-check's figure in place of the usual allowance, on the machine and
// for the config that it was made with (docs/statistics.md, 2.7).

#include <map>
#include <optional>
#include <string>

#include "harness/codec/noise_profile.h"
#include "harness/plan/config.h"

namespace traceml {

// Reads the profile that a config names and takes measure.interaction_sd from it; nullopt where it
// names none. Throws UsageError for a profile of another config, and for a figure that does not
// come from one; RunError as read_noise_profile().
std::optional<NoiseProfile> use_noise_profile(Config* config);

// "device: H200 there, cpu here"; empty where the machine is the profile's.
std::string other_machine(const NoiseProfile& profile,
                          const std::map<std::string, std::string>& machine);

// Throws UsageError where the machine is another one.
void require_same_machine(const NoiseProfile& profile, const std::string& file,
                          const std::map<std::string, std::string>& machine);

}  // namespace traceml
