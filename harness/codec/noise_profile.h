#pragma once
// noise_profile.json of a self-check: what launches of one config on one machine differ by, in
// place of the usual allowance (docs/statistics.md, 2.7; docs/files.md).

#include <map>
#include <string>

#include "harness/plan/config.h"

namespace traceml {

struct NoiseProfile {
  std::string created_utc;
  std::string tool_version;
  std::string config_hash;                     // config_hash() of the config that was checked
  std::map<std::string, std::string> machine;  // as in a store: "device", "world_size", ...
  std::string arm;
  int runs = 0;
  int launches = 0;
  double pair_sd = 0;
  double interaction_sd = 0;
  double interaction_sd_upper = 0;
};

// 16 hexadecimal digits: of every key that says what is run in a window, the arms and their plants
// included; not of name, seed, gates, looks, launches, limits and the profile itself.
std::string config_hash(const Config& config);

// Atomically (atomic_file.h).
void write_noise_profile(const std::string& path, const NoiseProfile& profile);

// Throws RunError naming the file where it is missing, torn, edited or no profile.
NoiseProfile read_noise_profile(const std::string& path);

}  // namespace traceml
