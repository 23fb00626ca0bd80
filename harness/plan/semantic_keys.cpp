#include "harness/plan/semantic_keys.h"

#include "harness/plan/config_keys.h"
#include "harness/plan/spin_rules.h"

namespace traceml {

namespace {

bool is_semantic(const ConfigKey& key) {
  if (key.path == "measure.instrument" || key.path == "workload.clock") return true;
  if (key.path == "workload.device" || is_spin_key(key.path)) return false;
  return key.path.starts_with("workload.") || key.path.starts_with("input.");
}

std::map<std::string, std::string> semantic_texts(const Config& view) {
  std::map<std::string, std::string> settings;
  for (const ConfigKey& key : config_keys()) {
    if (is_semantic(key)) settings[key.path] = key.get(view);
  }
  return settings;
}

}  // namespace

std::map<std::string, std::string> semantic_settings(const Config& config, const ArmConfig& arm) {
  return semantic_texts(seen_by(config, arm));
}

void add_younger_keys(std::map<std::string, std::string>* settings) {
  settings->merge(semantic_texts(Config{}));
}

}  // namespace traceml
