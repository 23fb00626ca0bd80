#include "harness/codec/config_value.h"

#include "harness/core/error.h"
#include "harness/plan/command_keys.h"

namespace traceml {

namespace {

[[noreturn]] void fail(const std::string& file, const YamlNode& node, const std::string& what) {
  throw UsageError(place_of(file, node) + ": " + what);
}

std::string item_text(const ConfigKey& key, const YamlNode& item) {
  return key.words ? in_double_quotes(item.text) : flow_text(item);
}

// Each item is tried alone first, so that a fault is placed at its own item.
void set_list(const std::string& file, const ConfigKey& key, const YamlNode& value,
              const Setter& set) {
  if (value.kind != YamlNode::Kind::kSequence) {
    fail(file, value, key.path + " is a " + key.form);
  }
  for (const YamlNode& item : value.items) {
    if (key.words && item.kind != YamlNode::Kind::kScalar) {
      fail(file, item, key.path + " holds words, not a list or map; quote what is no plain word");
    }
    Config scratch;
    if (const auto fault = key.set(scratch, "[" + item_text(key, item) + "]")) {
      fail(file, item, key.path + " " + *fault);
    }
  }
  std::string text;
  for (const YamlNode& item : value.items) {
    text += (text.empty() ? "" : ", ") + item_text(key, item);
  }
  if (const auto fault = set(key, "[" + text + "]")) fail(file, value, key.path + " " + *fault);
}

}  // namespace

void set_value(const std::string& file, const ConfigKey& key, const YamlNode& key_node,
               const YamlNode& value, const Setter& set) {
  if (value.kind == YamlNode::Kind::kNull) {
    fail(file, key_node, key.path + " has no value; allowed: " + key.form);
  }
  if (key.list) {
    set_list(file, key, value, set);
  } else if (value.kind != YamlNode::Kind::kScalar) {
    fail(file, value, key.path + " takes one value, not a list or map; allowed: " + key.form);
  } else if (const auto fault = set(key, value.text)) {
    fail(file, value, key.path + " " + *fault);
  }
}

}  // namespace traceml
