#include "harness/app/noise_profile_use.h"

#include <fmt/format.h>

#include "harness/analysis/variance_components.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"

namespace traceml {

std::optional<NoiseProfile> use_noise_profile(Config* config) {
  MeasureConfig& measure = config->measure;
  if (measure.noise_profile.empty()) {
    if (!measure.interaction_sd) return std::nullopt;
    throw UsageError(opening_for(*config, "measure.interaction_sd") +
                     "measure.interaction_sd comes from measure.noise_profile, the file of a "
                     "traceml-bench selfcheck; name that, and leave this out");
  }
  const std::string opening = opening_for(*config, "measure.noise_profile");
  if (measure.interaction_sd) {
    throw UsageError(opening + "measure.noise_profile says measure.interaction_sd; leave that out");
  }
  const NoiseProfile profile = read_noise_profile(measure.noise_profile_path);
  if (profile.launches < kFewestLaunchesOfAProfile) {
    throw UsageError(fmt::format("{}the noise profile {} is of {} launches; {} make one", opening,
                                 measure.noise_profile, profile.launches,
                                 kFewestLaunchesOfAProfile));
  }
  const std::string hash = config_hash(*config);
  if (profile.config_hash != hash) {
    throw UsageError(fmt::format(
        "{}the noise profile {} is of another config ({} there, {} here): what is run in a window "
        "differs; make one of this config (traceml-bench selfcheck), or leave it out",
        opening, measure.noise_profile, profile.config_hash, hash));
  }
  measure.interaction_sd = profile.interaction_sd;
  return profile;
}

std::string other_machine(const NoiseProfile& profile,
                          const std::map<std::string, std::string>& machine) {
  for (const auto& [name, value] : machine) {
    const auto there = profile.machine.find(name);
    if (there == profile.machine.end()) return fmt::format("{}: none there, {} here", name, value);
    if (there->second != value)
      return fmt::format("{}: {} there, {} here", name, there->second, value);
  }
  return "";
}

void require_same_machine(const NoiseProfile& profile, const std::string& file,
                          const std::map<std::string, std::string>& machine) {
  const std::string difference = other_machine(profile, machine);
  if (difference.empty()) return;
  throw UsageError(
      fmt::format("the noise profile {} is of another machine ({}); make one here (traceml-bench "
                  "selfcheck), or "
                  "leave measure.noise_profile out",
                  file, difference));
}

}  // namespace traceml
