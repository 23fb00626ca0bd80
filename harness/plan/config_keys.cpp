#include "harness/plan/config_keys.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "harness/plan/command_keys.h"
#include "harness/plan/nearest.h"

namespace traceml {

namespace {

constexpr std::array<std::string_view, 2> kLaterKeys = {"launches", "input.split"};

std::string_view leaf_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

const ConfigKey* find_config_key(std::string_view path) {
  for (const ConfigKey& key : config_keys()) {
    if (key.path == path) return &key;
  }
  return nullptr;
}

std::string_view group_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

bool is_config_group(std::string_view path) {
  return std::any_of(config_keys().begin(), config_keys().end(), [&](const ConfigKey& key) {
    return key.path.size() > path.size() && key.path.starts_with(path) &&
           key.path[path.size()] == '.';
  });
}

std::string text_of(const Config& config, std::string_view path) {
  const ConfigKey* key = find_config_key(path);
  if (key == nullptr) throw std::out_of_range("no config key " + std::string(path));
  return key->get(config);
}

std::string config_key_hint(std::string_view path) {
  const std::string_view group = group_of(path);
  const std::string_view leaf = leaf_of(path);
  std::vector<std::string> siblings;
  for (const ConfigKey& key : config_keys()) {
    if (!group.empty() && !(key.path.starts_with(group) && key.path[group.size()] == '.')) continue;
    const std::string rest = group.empty() ? key.path : key.path.substr(group.size() + 1);
    const std::string first = rest.substr(0, rest.find('.'));
    if (siblings.empty() || siblings.back() != first) siblings.push_back(first);
  }
  if (group.empty()) siblings.insert(siblings.end(), {"arms", "gates", "sweep"});
  const std::string near = did_you_mean(leaf, siblings);
  if (near.starts_with("; did")) return near;
  for (const ConfigKey& key : config_keys()) {
    if (leaf_of(key.path) == leaf) return "; did you mean '" + key.path + "'?";
  }
  return near;
}

std::optional<std::string> later_version_key(std::string_view path) {
  if (std::find(kLaterKeys.begin(), kLaterKeys.end(), path) == kLaterKeys.end()) {
    return std::nullopt;
  }
  return shown(path) + " is not in this version yet; leave it out";
}

ArmConfig make_arm(const Config& config, const std::string& name) {
  ArmConfig arm;
  arm.name = name;
  arm.workload = config.workload;
  arm.input = config.input;
  arm.instrument = config.measure.instrument;
  arm.plants = config.plants;
  arm.command = config.command;
  return arm;
}

Config seen_by(const Config& config, const ArmConfig& arm) {
  Config view;
  view.name = config.name;
  view.question = config.question;
  view.seed = config.seed;
  view.require = config.require;
  view.measure = config.measure;
  view.workload = arm.workload;
  view.input = arm.input;
  view.measure.instrument = arm.instrument;
  view.plants = arm.plants;
  view.command = arm.command;
  return view;
}

std::optional<std::string> set_in_arm(const Config& config, ArmConfig* arm, const ConfigKey& key,
                                      const std::string& text) {
  if (key.scope == KeyScope::kProcess) {
    return "is process-wide, and the arms of a launch share their processes; set it at the top, or "
           "compare whole launches: arms with a command each";
  }
  if (key.scope == KeyScope::kRun) return "holds for the whole run; set it at the top";
  Config view = seen_by(config, *arm);
  if (is_number_key(key.path) && !has_own_number(*arm)) drop_numbers(&view.command);
  if (auto fault = key.set(view, text)) return fault;
  arm->workload = view.workload;
  arm->input = view.input;
  arm->instrument = view.measure.instrument;
  arm->plants = view.plants;
  arm->command = view.command;
  arm->overridden.insert(key.path);
  return std::nullopt;
}

}  // namespace traceml
