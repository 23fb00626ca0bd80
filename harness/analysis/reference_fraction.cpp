#include "harness/analysis/reference_fraction.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/analysis/launch_pool.h"
#include "harness/analysis/statistics.h"

namespace traceml {

namespace {

constexpr double kPlainAlpha = 0.05;  // a side: 90 % intervals

std::optional<Estimate> launches_estimate(const CampaignFacts& facts, const GateSpec& spec,
                                          const CampaignWindows& windows) {
  const GatePairs pairs = pair_blocks(facts, windows, spec);
  const std::size_t whole = pairs.pairs.size() / blocks_per_unit(facts) * blocks_per_unit(facts);
  std::vector<double> launches;
  for (const PairDifference& launch :
       launch_units(std::span(pairs.pairs).first(whole), facts, spec)) {
    launches.push_back(launch.log_ratio);
  }
  return launch_estimate(launches);
}

std::string_view setting(const ArmFacts& arm, std::string_view key) {
  for (const auto& [name, value] : arm.settings) {
    if (name == key) return value;
  }
  return {};
}

}  // namespace

std::optional<FractionFigure> fraction_of(const CampaignFacts& facts, ArmIndex arm,
                                          ArmIndex reference, const CampaignWindows& windows) {
  const GateSpec spec{{}, GateKind::kMinFraction, arm, reference, 0, std::nullopt, false};
  const std::vector<PairDifference> differences = differences_where_both_ran(facts, windows, spec);
  const auto blocks = static_cast<int>(differences.size());
  if (blocks == 1) {
    return FractionFigure{std::exp(-differences.front().log_ratio), std::nullopt, blocks};
  }
  std::optional<Estimate> estimate;
  if (facts.pooled) estimate = launches_estimate(facts, spec, windows);
  if (!estimate) estimate = order_adjusted_estimate(differences);
  if (!estimate) return std::nullopt;
  FractionFigure figure{std::exp(-estimate->theta), std::nullopt, blocks};
  if (!estimate->spread) return figure;
  const Allowance allowance{facts.pooled ? 0 : facts.interaction_sd, 1};
  const Interval theta = interval_at(estimate->theta, *estimate->spread, kPlainAlpha, allowance);
  figure.interval = Interval{std::exp(-theta.upper), std::exp(-theta.lower)};
  return figure;
}

std::optional<ArmIndex> common_reference(const CampaignFacts& facts) {
  const auto found = std::find_if(facts.arms.begin(), facts.arms.end(), [](const ArmFacts& arm) {
    return arm.input_free && !arm.hidden;
  });
  if (found == facts.arms.end()) return std::nullopt;
  return ArmIndex{static_cast<int>(found - facts.arms.begin())};
}

bool trains_alike(const ArmFacts& arm, const ArmFacts& reference) {
  return std::all_of(arm.settings.begin(), arm.settings.end(), [&](const auto& own) {
    return !own.first.starts_with("workload.") || own.second == setting(reference, own.first);
  });
}

}  // namespace traceml
