#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/codec/config_file.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/gate_keys.h"
#include "harness/plan/sweep.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

// JSON's quoting is YAML's double-quoted form.
std::string in_quotes(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A name, bare where every YAML reader takes it for a word.
std::string name_text(const std::string& name) {
  static const std::vector<std::string> kReserved = {"true", "false", "yes", "no", "on",
                                                     "off",  "null",  "y",   "n"};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool word = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                    std::find(kReserved.begin(), kReserved.end(), lower) == kReserved.end();
  return word ? name : in_quotes(name);
}

// Lines of the keys that `wanted` keeps, nested by group, each opened by `indent`.
template <class Wanted>
std::string settings_text(const Config& config, const std::string& indent, Wanted wanted) {
  std::string text;
  std::string open_group;
  for (const ConfigKey& key : config_keys()) {
    if (!wanted(key)) continue;
    const std::string group(group_of(key.path));
    std::string depth = indent;
    for (std::size_t start = 0; start < group.size();) {
      const std::size_t dot = std::min(group.find('.', start), group.size());
      const std::string opened = group.substr(0, dot);
      const bool is_open = open_group == opened || open_group.starts_with(opened + ".");
      if (!is_open) text += depth + group.substr(start, dot - start) + ":\n";
      depth += "  ";
      start = dot + 1;
    }
    open_group = group;
    const std::string leaf = key.path.substr(group.empty() ? 0 : group.size() + 1);
    const std::string value = key.get(config);
    text += depth + leaf + ": " + (key.free_text ? in_quotes(value) : value) + "\n";
  }
  return text;
}

std::string gate_text(const GateConfig& gate) {
  const GateDraft draft = draft_of(gate);
  std::string text;
  for (const GateKey& key : gate_keys()) {
    const auto value = key.get(draft);
    if (!value) continue;
    const bool names_arm = key.name == "compare" || key.name == "against" || key.name == "on";
    text += text.empty() ? "" : ", ";
    if (key.inside.empty()) {
      text += key.name + ": " + (names_arm ? name_text(*value) : *value);
    } else {
      text += key.inside + ": {" + key.name + ": " + in_quotes(*value) + "}";
    }
  }
  return "{" + text + "}";
}

// As a list of settings, which says of a grid what its order is.
std::string sweep_text(const Config& config) {
  const SweepConfig& sweep = config.sweep;
  if (sweep.arm.empty()) return "";
  std::string text = "sweep:\n  arm: " + name_text(sweep.arm) + "\n  settings:\n";
  for (const ArmConfig& setting : sweep.settings) {
    const Config view = seen_by(config, setting);
    std::string values;
    for (const std::string& path : sweep.keys) {
      const ConfigKey* key = find_config_key(path);
      const std::string value = key->get(view);
      values +=
          (values.empty() ? "" : ", ") + path + ": " + (key->free_text ? in_quotes(value) : value);
    }
    text += "    - {" + values + "}\n";
  }
  return text + "  margin: " + margin_form().print(sweep.margin) + "\n";
}

}  // namespace

std::string write_config(const Config& config) {
  std::string text = settings_text(config, "", [](const ConfigKey&) { return true; });
  std::string arms;
  for (const ArmConfig& arm : written_arms(config)) {
    const std::string keys = settings_text(seen_by(config, arm), "    ", [&](const ConfigKey& key) {
      return arm.overridden.contains(key.path);
    });
    arms += "  " + name_text(arm.name) + ":" + (keys.empty() ? " {}\n" : "\n" + keys);
  }
  text += arms.empty() ? "arms: {}\n" : "arms:\n" + arms;
  std::string gates;
  for (const GateConfig& gate : config.gates) gates += "  - " + gate_text(gate) + "\n";
  text += gates.empty() ? "gates: []\n" : "gates:\n" + gates;
  return text + sweep_text(config);
}

}  // namespace traceml
