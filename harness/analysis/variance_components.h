#pragma once
// How much equal arms differ within a launch and between launches (docs/statistics.md, 2.7).

#include <optional>
#include <vector>

#include "harness/analysis/statistics.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// The valid pairs of one gate in one launch.
using LaunchPairs = std::vector<PairDifference>;

// By launch. `ranks` are pooled where facts.pooled says so. Pairs without a time are left out.
std::vector<LaunchPairs> pairs_by_launch(const CampaignFacts& facts,
                                         const std::vector<RankRecords>& ranks,
                                         const GateSpec& gate);

// The interaction of fewer launches is too uncertain to be allowed for: of single looks at 5 % a
// gate would fail equal arms in up to 6.6 % (10 launches) or 7.7 % (6), where 20 hold 4.0 to 6.2 %
// (docs/statistics.md, 2.7).
inline constexpr int kFewestLaunchesOfAProfile = 20;

struct VarianceComponents {
  int launches = 0;
  int pairs = 0;
  double pair_sd = 0;  // of a pair within its launch, both orders apart
  double mean_sd = 0;  // of the means of launches
  // Of what a launch itself does to the ratio of two arms: between-launch variance of the means
  // less the share in it of the pairs, floored at 0. The ANOVA estimator (Searle, Casella and
  // McCulloch, Variance Components, 1992, ch. 3), as Kalibera and Jones (ISMM 2013) have it.
  double interaction_sd = 0;
  // So large it may be: 95 % one-sided, from the chi-squared bound of the means' variance.
  double interaction_sd_upper = 0;
};

// Launches with fewer than three pairs, or with pairs of one order alone, are left out; nullopt for
// fewer than two others.
std::optional<VarianceComponents> variance_components(const std::vector<LaunchPairs>& launches);

}  // namespace traceml
