#pragma once
// One value of a config on its way from YAML to its key.

#include <functional>
#include <optional>
#include <string>

#include "harness/codec/yaml_tree.h"
#include "harness/plan/config_keys.h"

namespace traceml {

// Applies a text to a key and answers what is wrong with it, or nullopt.
using Setter = std::function<std::optional<std::string>(const ConfigKey&, const std::string&)>;

// Throws UsageError with the place in `file` of a value that is none of the key, an item of a list
// at its own; `key_node` is where a missing value is placed.
void set_value(const std::string& file, const ConfigKey& key, const YamlNode& key_node,
               const YamlNode& value, const Setter& set);

}  // namespace traceml
