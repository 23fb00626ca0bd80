#include "harness/plan/equal_arms.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/nearest.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

constexpr double kUsualMargin = 0.02;
constexpr std::size_t kLongestName = 48;  // leaves room for what is put behind it

// Of the gate that judges the arm, else of the first one.
double margin_of(const Config& config, const std::string& arm) {
  const auto own = std::find_if(config.gates.begin(), config.gates.end(),
                                [&](const GateConfig& gate) { return gate.candidate == arm; });
  if (own != config.gates.end()) return own->delta;
  return config.gates.empty() ? kUsualMargin : config.gates.front().delta;
}

ArmConfig copy_of(const ArmConfig& arm, const std::string& ending) {
  ArmConfig copy = arm;
  copy.name = arm.name.substr(0, kLongestName) + ending;
  return copy;
}

// "ARM-plus-2.5" for 2.5 %.
ArmConfig slower_copy_of(const ArmConfig& arm, double slowdown) {
  std::string percent = margin_form().print(slowdown);
  percent.pop_back();
  ArmConfig copy = copy_of(arm, "-plus-" + percent);
  Plant plant;
  plant.kind = PlantKind::kSlowdown;
  plant.fraction = slowdown;
  copy.plants.push_back(plant);
  copy.overridden.insert("plant");
  return copy;
}

void add_arm(const ArmConfig& arm, std::vector<ArmConfig>* arms) {
  const bool known = std::any_of(arms->begin(), arms->end(),
                                 [&](const ArmConfig& one) { return one.name == arm.name; });
  if (!known) arms->push_back(arm);
}

}  // namespace

void use_equal_arms(Config* config) {
  const std::string& name = config->measure.equal_arms;
  if (name.empty()) return;
  const std::string opening = opening_for(*config, "measure.equal_arms");
  const auto index = arm_named(*config, name);
  if (!index) {
    std::vector<std::string> names;
    for (const ArmConfig& arm : config->arms) names.push_back(arm.name);
    throw UsageError(opening + "no arm is called " + shown(name) + did_you_mean(name, names));
  }
  if (runs_commands(*config)) {
    throw UsageError(opening +
                     "the arms are commands; write two equal arms and a gate between them, and run "
                     "that");
  }
  const ArmConfig arm = config->arms[static_cast<std::size_t>(index->value)];
  std::vector<ArmConfig> arms = {arm, copy_of(arm, "-again")};
  for (const double slowdown : config->measure.equal_plants) {
    add_arm(slower_copy_of(arm, slowdown), &arms);
  }
  for (const ArmConfig& other : config->arms) {
    if (other.overridden.contains("plant") && !other.plants.empty()) add_arm(other, &arms);
  }
  if (arms.size() > kMaxArms) {
    throw UsageError(opening + "so many planted arms do not fit into one launch; at most " +
                     std::to_string(kMaxArms) + " arms do");
  }
  const double margin = margin_of(*config, name);
  config->gates.clear();
  for (const ArmConfig& other : arms) {
    if (other.name == arm.name) continue;
    GateConfig gate;
    gate.candidate = other.name;
    gate.baseline = arm.name;
    gate.delta = margin;
    config->gates.push_back(gate);
  }
  config->arms = std::move(arms);
}

std::string arm_to_check(const Config& config) {
  if (!config.gates.empty()) return config.gates.front().candidate;
  for (const ArmConfig& arm : config.arms) {
    if (arm.input.source != Source::kSynthetic) return arm.name;
  }
  return config.arms.empty() ? "shipped" : config.arms.front().name;
}

}  // namespace traceml
