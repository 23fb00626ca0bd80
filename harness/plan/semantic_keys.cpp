#include "harness/plan/semantic_keys.h"

#include "harness/plan/config_keys.h"
#include "harness/plan/spin_rules.h"

namespace traceml {

namespace {

std::map<std::string, std::string> semantic_texts(const Config& view) {
  std::map<std::string, std::string> settings;
  for (const ConfigKey& key : config_keys()) {
    if (is_semantic_key(key.path)) settings[key.path] = key.get(view);
  }
  return settings;
}

}  // namespace

bool is_semantic_key(const std::string& path) {
  if (path == "measure.instrument" || path == "workload.clock") return true;
  if (path == "workload.device" || is_spin_key(path)) return false;
  return path.starts_with("workload.") || path.starts_with("input.");
}

std::map<std::string, std::string> semantic_settings(const Config& config, const ArmConfig& arm) {
  return semantic_texts(seen_by(config, arm));
}

void add_younger_keys(std::map<std::string, std::string>* settings) {
  settings->merge(semantic_texts(Config{}));
}

}  // namespace traceml
