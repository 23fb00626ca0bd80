#include "harness/codec/config_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "harness/codec/config_datasets.h"
#include "harness/codec/config_overrides.h"
#include "harness/codec/config_sweep.h"
#include "harness/codec/config_value.h"
#include "harness/codec/yaml_tree.h"
#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/gate_keys.h"
#include "harness/plan/nearest.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

constexpr std::size_t kMaxBytes = 1024 * 1024;

std::string in_group(std::string_view group) {
  return group.empty() ? "" : " in " + std::string(group);
}

std::string joined(std::string_view group, const std::string& key) {
  return group.empty() ? key : std::string(group) + "." + key;
}

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  Config read(const YamlNode& root, const std::vector<Override>& overrides,
              const std::filesystem::path& file_folder) {
    config_.places[""] = name_;
    read_top(root);
    const YamlNode* arms = child(root, "arms");
    for (const Override& one : overrides) {
      if (!one.path.starts_with("arms.") && !is_of_sweep(one)) apply_to_top(one);
    }
    if (arms != nullptr) read_arms(*arms);
    for (const Override& one : overrides) {
      if (one.path.starts_with("arms.")) apply_to_arm(one);
    }
    if (const YamlNode* sweep = child(root, "sweep")) read_sweep(name_, *sweep, &config_);
    for (const Override& one : overrides) {
      if (is_of_sweep(one)) override_sweep(one, &config_);
    }
    if (const YamlNode* gates = child(root, "gates")) read_gates(*gates);
    resolve_datasets(&config_, file_folder);
    resolve_working_directories(&config_, file_folder);
    resolve_stores(&config_, file_folder);
    resolve_noise_profile(&config_, file_folder);
    return std::move(config_);
  }

 private:
  [[noreturn]] void fail(const YamlNode& node, const std::string& what) const {
    throw UsageError(place_of(name_, node) + ": " + what);
  }

  static bool is_of_sweep(const Override& one) {
    return one.path == "sweep" || one.path.starts_with("sweep.");
  }

  static const YamlNode* child(const YamlNode& map, const std::string& key) {
    for (const auto& [name, value] : map.entries) {
      if (name.text == key) return &value;
    }
    return nullptr;
  }

  void read_top(const YamlNode& root) {
    YamlNode settings = root;
    std::erase_if(settings.entries, [](const auto& entry) {
      return entry.key.text == "arms" || entry.key.text == "gates" || entry.key.text == "sweep";
    });
    read_settings(settings, "", "", [&](const ConfigKey& key, const std::string& text) {
      return key.set(config_, text);
    });
  }

  // Sets each scalar below `map`, whose keys lie in `group`. `place_prefix` opens their names in
  // Config::places.
  void read_settings(const YamlNode& map, const std::string& group, const std::string& place_prefix,
                     const Setter& set) {
    for (const auto& [key_node, value] : map.entries) {
      const std::string path = joined(group, key_node.text);
      const bool dotted = key_node.text.find('.') != std::string::npos;
      if (!dotted && is_config_group(path)) {
        if (value.kind != YamlNode::Kind::kMap) {
          fail(value, path + " holds keys, as " + path + ": {...}, not one value");
        }
        read_settings(value, path, place_prefix, set);
        continue;
      }
      const ConfigKey* key = dotted ? nullptr : find_config_key(path);
      if (key == nullptr) refuse_key(key_node, path, group);
      set_value(name_, *key, key_node, value, set);
      config_.places[place_prefix + path] = place_of(name_, value);
    }
  }

  [[noreturn]] void refuse_key(const YamlNode& node, const std::string& path,
                               const std::string& group) const {
    if (find_config_key(path) != nullptr) {
      fail(node, "the key " + shown(path) + " is written nested: " + std::string(group_of(path)) +
                     ": {...}");
    }
    if (const auto later = later_version_key(path)) fail(node, *later);
    fail(node, "unknown key " + shown(node.text) + in_group(group) + config_key_hint(path));
  }

  void apply_to_top(const Override& one) {
    const auto refuse = [&](const std::string& what) { throw UsageError(one.place + ": " + what); };
    if (one.path == "arms" || one.path == "gates" || one.path.starts_with("gates.")) {
      refuse("arms and gates are written in the file; set keys of one arm as arms.NAME.KEY=VALUE");
    }
    const ConfigKey* key = find_config_key(one.path);
    if (key == nullptr) refuse_path(one.place, one.path);
    if (const auto fault = key->set(config_, one.text)) refuse(*fault);
    config_.places[key->path] = one.place;
  }

  [[noreturn]] static void refuse_path(const std::string& place, const std::string& path) {
    if (is_config_group(path)) {
      throw UsageError(place + ": names a group; set one of its keys, as input.workers=8");
    }
    if (const auto later = later_version_key(path)) throw UsageError(place + ": " + *later);
    throw UsageError(place + ": unknown key " + shown(path) + config_key_hint(path));
  }

  void read_arms(const YamlNode& arms) {
    if (arms.kind != YamlNode::Kind::kMap) {
      fail(arms, "arms is a map of names, as arms: {shipped: {}}");
    }
    if (arms.entries.size() > kMaxArms) {
      fail(arms, fmt::format("{} arms; one launch can interleave at most {}", arms.entries.size(),
                             kMaxArms));
    }
    for (const auto& [name_node, overridden] : arms.entries) {
      const auto name = identifier_form().read(name_node.text);
      if (!name.value) fail(name_node, "the name of an arm " + name.fault);
      if (overridden.kind != YamlNode::Kind::kMap) {
        fail(overridden.kind == YamlNode::Kind::kNull ? name_node : overridden,
             "the arm " + shown(name_node.text) +
                 " is a map of keys that it overrides; write {} for none");
      }
      ArmConfig arm = make_arm(config_, name_node.text);
      read_settings(overridden, "", "arms." + arm.name + ".",
                    [&](const ConfigKey& key, const std::string& text) {
                      return set_in_arm(config_, &arm, key, text);
                    });
      config_.places["arms." + arm.name] = place_of(name_, name_node);
      config_.arms.push_back(std::move(arm));
    }
  }

  void apply_to_arm(const Override& one) {
    std::vector<std::string> names;
    for (ArmConfig& arm : config_.arms) {
      names.push_back(arm.name);
      const std::string prefix = "arms." + arm.name + ".";
      if (!one.path.starts_with(prefix)) continue;
      const std::string path = one.path.substr(prefix.size());
      const ConfigKey* key = find_config_key(path);
      if (key == nullptr) refuse_path(one.place, path);
      if (const auto fault = set_in_arm(config_, &arm, *key, one.text)) {
        throw UsageError(one.place + ": " + *fault);
      }
      config_.places[one.path] = one.place;
      return;
    }
    const std::string rest = one.path.substr(std::strlen("arms."));
    const std::string name = rest.substr(0, rest.find('.'));
    throw UsageError(one.place + ": no arm is named " + shown(name) + did_you_mean(name, names));
  }

  void read_gates(const YamlNode& gates) {
    if (gates.kind != YamlNode::Kind::kSequence) {
      fail(gates, "gates is a list, as gates: [{compare: a, against: b, max_regression: 2%}]");
    }
    if (gates.items.size() > kMaxGates) {
      fail(gates, fmt::format("{} gates; a config may have {}", gates.items.size(), kMaxGates));
    }
    for (const YamlNode& gate : gates.items) {
      if (gate.kind != YamlNode::Kind::kMap) {
        fail(gate, "a gate is a map, as {compare: a, against: b, max_regression: 2%}");
      }
      config_.gates.push_back(finish_gate(read_gate(gate), place_of(name_, gate)));
    }
  }

  GateDraft read_gate(const YamlNode& gate) const {
    GateDraft draft;
    for (const auto& [key_node, value] : gate.entries) {
      const GateKey* key = find_gate_key(key_node.text);
      if (key == nullptr) refuse_gate_key(key_node);
      if (key->name == "against" && value.kind == YamlNode::Kind::kMap) {
        read_store_of_gate(value, draft);
        continue;
      }
      if (key->list) {
        set_list_of_gate(*key, value, draft);
        continue;
      }
      if (value.kind != YamlNode::Kind::kScalar) {
        fail(value, key->name + " takes one value; allowed: " + key->form);
      }
      if (const auto fault = key->set(draft, value.text)) fail(value, key->name + " " + *fault);
    }
    return draft;
  }

  // against: {stored: baselines/food101}
  void read_store_of_gate(const YamlNode& map, GateDraft& draft) const {
    if (map.entries.size() != 1 || map.entries.front().key.text != "stored") {
      fail(map, "against names an arm, or stored campaigns as {stored: baselines/food101}");
    }
    const YamlNode& value = map.entries.front().value;
    const GateKey* key = find_gate_key("stored", "against");
    if (value.kind != YamlNode::Kind::kScalar) {
      fail(value, "against.stored takes one value; allowed: " + key->form);
    }
    if (const auto fault = key->set(draft, value.text)) fail(value, "against.stored " + *fault);
  }

  void set_list_of_gate(const GateKey& key, const YamlNode& value, GateDraft& draft) const {
    if (value.kind != YamlNode::Kind::kSequence) fail(value, key.name + " is a " + key.form);
    std::string text;
    for (const YamlNode& item : value.items) {
      if (item.kind != YamlNode::Kind::kScalar) fail(item, key.name + " is a " + key.form);
      text += (text.empty() ? "" : ", ") + item.text;
      GateDraft scratch;  // so that a fault is placed at its own item
      if (const auto fault = key.set(scratch, "[" + text + "]")) {
        fail(item, key.name + " " + *fault);
      }
    }
    if (const auto fault = key.set(draft, "[" + text + "]")) fail(value, key.name + " " + *fault);
  }

  [[noreturn]] void refuse_gate_key(const YamlNode& key) const {
    std::vector<std::string> names;
    for (const GateKey& known : gate_keys()) {
      if (known.inside.empty()) names.push_back(known.name);
    }
    fail(key, "unknown key " + shown(key.text) + " in a gate" + did_you_mean(key.text, names));
  }

  std::string name_;
  Config config_;
};

// At most one byte more than a config may have, so that the size is refused with its own sentence.
std::string read_bytes(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw UsageError(path + ": no such file");
  }
  if (std::filesystem::is_directory(status)) {
    throw UsageError(path + ": is a folder; name a config file in it");
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kMaxBytes + 1, '\0');
  if (!file) throw UsageError(path + ": cannot be read (" + std::strerror(errno) + ")");
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) throw UsageError(path + ": cannot be read (" + std::strerror(errno) + ")");
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

Config read_config_file(const std::string& path, const std::vector<std::string>& overrides) {
  const auto parsed = parse_overrides(overrides);
  const YamlNode root = parse_yaml(read_bytes(path), path);
  return Reader(path).read(root, parsed, std::filesystem::path(path).parent_path());
}

Config read_config_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides) {
  const auto parsed = parse_overrides(overrides);
  return Reader(name).read(parse_yaml(text, name), parsed, "");
}

}  // namespace traceml
