#include "harness/codec/config_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "harness/codec/config_value.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/nearest.h"
#include "harness/plan/sweep.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

constexpr const char* kShape =
    "sweep is a map, as sweep: {arm: shipped, over: {input.workers: "
    "[1, 2, 4]}}";
const std::vector<std::string> kSweepKeys = {"arm", "over", "settings", "margin"};

// A key that the sweep sets, with the node of one of its values.
struct Choice {
  const ConfigKey* key;
  const YamlNode* key_node;
  const YamlNode* value;
};

// Keys stand with their whole paths here.
std::string hint_for(const std::string& path) {
  std::vector<std::string> paths;
  for (const ConfigKey& key : config_keys()) {
    if (key.scope == KeyScope::kArm) paths.push_back(key.path);
  }
  const std::string near = did_you_mean(path, paths);
  return near.starts_with("; did") ? near : config_key_hint(path);
}

class SweepReader {
 public:
  SweepReader(const std::string& file, const YamlNode& node, Config* config)
      : file_(file), node_(node), config_(*config), sweep_(config->sweep) {}

  void read() {
    if (node_.kind != YamlNode::Kind::kMap) fail(node_, kShape);
    sweep_.where = place_of(file_, node_);
    for (const auto& [key, value] : node_.entries) {
      if (std::find(kSweepKeys.begin(), kSweepKeys.end(), key.text) == kSweepKeys.end()) {
        fail(key,
             "unknown key " + shown(key.text) + " in sweep" + did_you_mean(key.text, kSweepKeys));
      }
    }
    read_arm();
    if (const YamlNode* margin = child("margin")) read_margin(*margin);
    const YamlNode* over = child("over");
    const YamlNode* settings = child("settings");
    if ((over == nullptr) == (settings == nullptr)) {
      fail(node_, over == nullptr
                      ? "a sweep needs over: {KEY: [values]}, or settings: a list of maps"
                      : "a sweep has over or settings, not both");
    }
    if (over != nullptr) read_grid(*over);
    if (settings != nullptr) read_list(*settings);
    if (chosen_.size() < 2) fail(node_, "a sweep has at least two settings to choose from");
    make_settings();
  }

 private:
  [[noreturn]] void fail(const YamlNode& node, const std::string& what) const {
    throw UsageError(place_of(file_, node) + ": " + what);
  }

  const YamlNode* child(const std::string& key) const {
    for (const auto& [name, value] : node_.entries) {
      if (name.text == key) return &value;
    }
    return nullptr;
  }

  void read_arm() {
    const YamlNode* arm = child("arm");
    if (arm == nullptr) fail(node_, "a sweep needs the arm that it varies, as arm: shipped");
    if (arm->kind != YamlNode::Kind::kScalar) fail(*arm, "arm takes the name of one arm");
    if (config_.arms.empty()) config_.arms.push_back(make_arm(config_, kDefaultArm));
    if (!arm_named(config_, arm->text)) {
      std::vector<std::string> names;
      for (const ArmConfig& one : config_.arms) names.push_back(one.name);
      fail(*arm, "the sweep names the arm " + shown(arm->text) + ", which is not there" +
                     did_you_mean(arm->text, names));
    }
    sweep_.arm = arm->text;
  }

  void read_margin(const YamlNode& margin) {
    if (margin.kind != YamlNode::Kind::kScalar) fail(margin, "margin takes one value, as 1%");
    const auto reading = margin_form().read(margin.text);
    if (!reading.value) fail(margin, "margin " + reading.fault);
    sweep_.margin = *reading.value;
  }

  const ConfigKey& key_at(const YamlNode& node) {
    const ConfigKey* key = find_config_key(node.text);
    if (key == nullptr) {
      if (is_config_group(node.text)) {
        fail(node, "names a group; write one of its keys, as input.workers");
      }
      if (const auto later = later_version_key(node.text)) fail(node, *later);
      fail(node, "unknown key " + shown(node.text) + " in a sweep" + hint_for(node.text));
    }
    if (node.text == "input.source") {
      fail(node, "input.source is not swept: each setting has its input-free reference anyway");
    }
    if (std::find(sweep_.keys.begin(), sweep_.keys.end(), node.text) == sweep_.keys.end()) {
      sweep_.keys.push_back(node.text);
      keys_.push_back(key);
    }
    return *key;
  }

  // Every combination; the last key changes first.
  void read_grid(const YamlNode& over) {
    if (over.kind != YamlNode::Kind::kMap || over.entries.empty()) {
      fail(over, "over is a map of keys with lists of values, as {input.workers: [1, 2, 4]}");
    }
    chosen_ = {{}};
    for (const auto& [key_node, values] : over.entries) {
      const ConfigKey& key = key_at(key_node);
      if (values.kind != YamlNode::Kind::kSequence || values.items.empty()) {
        fail(values.kind == YamlNode::Kind::kNull ? key_node : values,
             key.path + " is a list of values here, as [1, 2, 4]");
      }
      if (chosen_.size() * values.items.size() > kMaxArms) {
        fail(over, fmt::format("more than {} settings; one launch can interleave at most {} arms",
                               kMaxArms, kMaxArms));
      }
      std::vector<std::vector<Choice>> longer;
      for (const std::vector<Choice>& setting : chosen_) {
        for (const YamlNode& value : values.items) {
          longer.push_back(setting);
          longer.back().push_back({&key, &key_node, &value});
        }
      }
      chosen_ = std::move(longer);
    }
    places_.assign(chosen_.size(), &over);
  }

  void read_list(const YamlNode& settings) {
    if (settings.kind != YamlNode::Kind::kSequence) {
      fail(settings, "settings is a list of maps, as [{input.workers: 1}, {input.workers: 2}]");
    }
    if (settings.items.size() > kMaxArms) {
      fail(settings, fmt::format("{} settings; one launch can interleave at most {} arms",
                                 settings.items.size(), kMaxArms));
    }
    for (const YamlNode& item : settings.items) {
      if (item.kind != YamlNode::Kind::kMap || item.entries.empty()) {
        fail(item, "a setting is a map of keys with a value each, as {input.workers: 1}");
      }
      std::vector<Choice>& setting = chosen_.emplace_back();
      for (const auto& [key_node, value] : item.entries) {
        setting.push_back({&key_at(key_node), &key_node, &value});
      }
      places_.push_back(&item);
    }
  }

  // Of each setting the text of every key of the sweep, so that names and tables line up.
  void make_settings() {
    const ArmConfig swept =
        config_.arms[static_cast<std::size_t>(arm_named(config_, sweep_.arm)->value)];
    std::vector<std::vector<std::string>> texts;                 // by setting and key
    std::vector<std::vector<std::string>> values(keys_.size());  // distinct ones of each key
    for (const std::vector<Choice>& choices : chosen_) {
      ArmConfig setting = swept;
      setting.of_sweep = true;
      for (const Choice& choice : choices) {
        set_value(file_, *choice.key, *choice.key_node, *choice.value,
                  [&](const ConfigKey& key, const std::string& text) {
                    return set_in_arm(config_, &setting, key, text);
                  });
      }
      texts.emplace_back();
      const Config view = seen_by(config_, setting);
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        const std::string text = keys_[i]->get(view);
        if (std::find(values[i].begin(), values[i].end(), text) == values[i].end()) {
          values[i].push_back(text);
        }
        texts.back().push_back(text);
        setting.overridden.insert(keys_[i]->path);
      }
      sweep_.settings.push_back(std::move(setting));
    }
    for (std::size_t i = 0; i < sweep_.settings.size(); ++i) {
      sweep_.settings[i].name = name_of_setting(sweep_.arm, sweep_.keys, texts[i], values);
      add_places(i);
    }
  }

  void add_places(std::size_t i) {
    const std::string own = "arms." + sweep_.settings[i].name;
    const std::string of_arm = "arms." + sweep_.arm + ".";
    std::map<std::string, std::string> inherited;
    for (const auto& [key, place] : config_.places) {
      if (key.starts_with(of_arm)) inherited[own + "." + key.substr(of_arm.size())] = place;
    }
    config_.places.merge(inherited);
    config_.places[own] = place_of(file_, *places_[i]);
    for (const Choice& choice : chosen_[i]) {
      config_.places[own + "." + choice.key->path] = place_of(file_, *choice.value);
    }
  }

  const std::string& file_;
  const YamlNode& node_;
  Config& config_;
  SweepConfig& sweep_;
  std::vector<const ConfigKey*> keys_;
  std::vector<std::vector<Choice>> chosen_;
  std::vector<const YamlNode*> places_;
};

}  // namespace

void read_sweep(const std::string& file, const YamlNode& sweep, Config* config) {
  SweepReader(file, sweep, config).read();
}

void override_sweep(const Override& one, Config* config) {
  if (one.path != "sweep.margin") {
    throw UsageError(one.place +
                     ": the sweep is written in the file; --set takes sweep.margin of it");
  }
  if (config->sweep.arm.empty()) {
    throw UsageError(one.place + ": the config has no sweep; leave it out");
  }
  const auto reading = margin_form().read(one.text);
  if (!reading.value) throw UsageError(one.place + ": " + reading.fault);
  config->sweep.margin = *reading.value;
}

}  // namespace traceml
