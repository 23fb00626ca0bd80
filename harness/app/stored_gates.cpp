#include "harness/app/stored_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/codec/baseline_store.h"
#include "harness/reports/baseline_text.h"

namespace traceml {

std::map<std::string, std::string> store_paths(const Config& config) {
  std::map<std::string, std::string> paths;
  for (const GateConfig& gate : config.gates) {
    if (!gate.stored.empty()) paths[gate.stored] = gate.stored_path;
  }
  return paths;
}

std::map<std::string, PinnedBaseline> read_pinned(const Plan& plan) {
  std::map<std::string, PinnedBaseline> baselines;
  for (const auto& [store, path] : store_paths(plan.config)) {
    baselines[store] = pinned_of(read_store(path));
  }
  return baselines;
}

std::string baselines_file(const std::string& out) {
  return out + "/baselines.json";
}

std::string stored_power_text(const Plan& plan,
                              const std::map<std::string, PinnedBaseline>& baselines) {
  std::string text;
  for (const GateSpec& gate : plan.facts.stored_gates) {
    text += stored_power_line(plan.facts, gate, baselines.at(gate.stored->store)) + "\n";
  }
  return text;
}

std::string baseline_add_text(const CampaignSummary& summary,
                              const std::map<std::string, std::string>& stores,
                              const std::string& out) {
  std::set<std::string> lines;
  for (const GateResult& gate : summary.gates) {
    if (!gate.stored || gate.stored->campaigns.size() >= kFewestCampaigns) continue;
    const std::string& path = stores.at(gate.spec.stored->store);
    lines.insert(
        fmt::format("to store this campaign: traceml-bench baseline add {} {}\n", path, out));
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace traceml
