#include "harness/plan/config_keys.h"
#include "harness/plan/gate_keys.h"

namespace traceml {

namespace {

std::string entry(const std::string& title, const std::string& help, const std::string& form) {
  return title + "\n    " + help + "\n    " + form + "\n";
}

}  // namespace

std::string key_reference() {
  const Config defaults;
  std::string text = "Keys, with their defaults\n";
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.get(defaults);
    const std::string arms = key.scope == KeyScope::kArm ? "; an arm may set it" : "";
    text += entry(key.path + ": " + (value.empty() ? "\"\"" : value), key.help, key.form + arms);
  }
  text +=
      "\narms, a map of names with the keys that each overrides: {shipped: {input: {workers: 8}}}\n"
      "gates, a list of maps: compare, against and a margin; or overhead_of, on and max_overhead\n"
      "\nKeys of a gate\n";
  for (const GateKey& key : gate_keys()) {
    text += entry(key.inside.empty() ? key.name : key.inside + "." + key.name, key.help, key.form);
  }
  return text;
}

}  // namespace traceml
