#include "harness/analysis/variance_components.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/launch_pool.h"
#include "harness/analysis/quantiles.h"

namespace traceml {

std::vector<LaunchPairs> pairs_by_launch(const CampaignFacts& facts,
                                         const std::vector<RankRecords>& ranks,
                                         const GateSpec& gate) {
  const CampaignWindows windows = tabulate_windows(facts, by_rank(facts, ranks));
  const GatePairs pairs = pair_blocks(facts, windows, gate);
  const std::size_t per_launch = facts.pooled ? blocks_per_unit(facts) : pairs.pairs.size();
  std::vector<LaunchPairs> launches;
  for (std::size_t i = 0; i < pairs.pairs.size(); ++i) {
    if (i % per_launch == 0) launches.emplace_back();
    const BlockPair& pair = pairs.pairs[i];
    if (pair.voided()) continue;
    const std::optional<double> ratio = log_ratio_of(pair, facts, gate);
    if (ratio) launches.back().push_back({*ratio, pair.first()});
  }
  return launches;
}

std::optional<VarianceComponents> variance_components(const std::vector<LaunchPairs>& launches) {
  constexpr double kBound = 0.95;
  std::vector<double> means;
  double squares = 0, degrees = 0, share = 0;  // share: of the variance of a pair in a mean's
  VarianceComponents found;
  for (const LaunchPairs& pairs : launches) {
    const std::optional<Estimate> estimate = order_adjusted_estimate(pairs);
    if (!estimate || !estimate->spread) continue;
    const Spread& spread = *estimate->spread;
    means.push_back(estimate->theta);
    squares += spread.df * spread.sd * spread.sd;
    degrees += spread.df;
    share += std::pow(spread.se / spread.sd, 2);
    found.pairs += static_cast<int>(pairs.size());
  }
  const std::optional<Estimate> between = launch_estimate(means);
  if (!between) return std::nullopt;
  found.launches = static_cast<int>(means.size());
  found.pair_sd = std::sqrt(squares / degrees);
  found.mean_sd = between->spread->sd;
  const double of_pairs = found.pair_sd * found.pair_sd * share / found.launches;
  const double of_means = found.mean_sd * found.mean_sd;
  const double df = found.launches - 1;
  found.interaction_sd = std::sqrt(std::max(0.0, of_means - of_pairs));
  found.interaction_sd_upper =
      std::sqrt(std::max(0.0, df * of_means / chi_squared_quantile(kBound, df) - of_pairs));
  return found;
}

}  // namespace traceml
