#pragma once
// Plans of spin with one arm or two, as a config file would give them.

#include <string>
#include <utility>
#include <vector>

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"
#include "workloads/spin/step_place.h"

namespace traceml::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Arms "plain" and "planted", the second with `plant`; eight settle steps and windows of 16 steps.
inline Plan spin_plan(int ranks, const std::string& plant, const Settings& settings = {}) {
  Config config;
  config.seed = 3;
  Settings all = {{"workload.model", "spin"},
                  {"workload.clock", "virtual"},
                  {"measure.steps", "16"},
                  {"measure.period", "8"},
                  {"measure.max_blocks", "6"}};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const auto& [path, text] : all) {
    if (const auto fault = find_config_key(path)->set(config, text)) {
      throw std::runtime_error(path + " " + *fault);
    }
  }
  config.arms = {make_arm(config, "plain"), make_arm(config, "planted")};
  if (const auto fault = set_in_arm(config, &config.arms[1], *find_config_key("plant"), plant)) {
    throw std::runtime_error(*fault);
  }
  return make_plan(config, ranks);
}

inline StepPlace place_in(int arm, std::optional<std::int64_t> window, std::int64_t step) {
  StepPlace place{.arm = ArmIndex{arm}, .window = std::nullopt, .step = step};
  if (window) place.window = WindowIndex{*window};
  return place;
}

}  // namespace traceml::testing
