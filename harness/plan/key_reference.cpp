#include "harness/plan/config_keys.h"
#include "harness/plan/gate_keys.h"
#include "harness/plan/value_forms.h"

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
      "sweep, a map: arm, margin, and over: {input.workers: [1, 2, 4]}, a grid, or settings: "
      "[{input.workers: 1, input.prefetch: 2}, ...]\n"
      "\nKeys of a gate\n";
  for (const GateKey& key : gate_keys()) {
    text += entry(key.inside.empty() ? key.name : key.inside + "." + key.name, key.help, key.form);
  }
  text += "\nKeys of the sweep\n";
  text += entry("arm", "whose settings are sought; it runs itself only where a gate names it",
                "name of an arm");
  text += entry("over", "a grid of settings: each value of each key with each of the others",
                "map of keys that an arm may set, as input.workers, with a list of values each");
  text += entry("settings", "in place of over: the settings one by one, the cheap ones first",
                "list of maps of keys that an arm may set, with a value each");
  text +=
      entry("margin", "slower than the best by more is worse; left out: 1%", margin_form().form);
  return text;
}

}  // namespace traceml
