#include "harness/analysis/stored_arms.h"

#include <optional>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/launch_pool.h"

namespace traceml {

std::map<std::string, StoredArm> stored_arms(const CampaignFacts& facts,
                                             const std::vector<RankRecords>& pooled) {
  CampaignFacts pairs = facts;  // one pair of arms for each arm with a reference
  pairs.gates.clear();
  std::vector<std::optional<std::size_t>> gate_of(facts.arms.size());
  for (std::size_t i = 0; i < facts.arms.size(); ++i) {
    if (!facts.arms[i].reference) continue;
    gate_of[i] = pairs.gates.size();
    pairs.gates.push_back({});
    pairs.gates.back().candidate = {static_cast<int>(i)};
    pairs.gates.back().baseline = *facts.arms[i].reference;
  }
  const auto rows = launch_rows(pairs, tabulate_windows(pairs, by_rank(pairs, pooled)));
  std::map<std::string, StoredArm> arms;
  for (std::size_t i = 0; i < facts.arms.size(); ++i) {
    if (facts.arms[i].hidden) continue;
    StoredArm& arm = arms[facts.arms[i].name];
    if (const auto reference = facts.arms[i].reference) {
      arm.reference = facts.arms[static_cast<std::size_t>(reference->value)].name;
    }
    for (const LaunchRow& row : rows) {
      const std::optional<double> ratio = gate_of[i] ? row.thetas[*gate_of[i]] : std::nullopt;
      if (!row.walls[i] || (gate_of[i] && !ratio)) continue;  // a void launch
      arm.launches.push_back({*row.walls[i], ratio});
    }
  }
  return arms;
}

}  // namespace traceml
