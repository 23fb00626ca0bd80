// What a noise profile of 20 launches does to the rate of false failures of one launch
// (docs/statistics.md, 2.7), by the code that estimates and judges.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "harness/analysis/variance_components.h"
#include "harness/analysis/verdict.h"

namespace traceml {
namespace {

constexpr int kReplicates = 12000;
constexpr int kBlocks = 10;

class EqualLaunches {
 public:
  EqualLaunches(double pair_sd, double interaction_sd, std::uint64_t seed)
      : pair_sd_(pair_sd), interaction_sd_(interaction_sd), random_(seed) {}

  LaunchPairs launch() {
    LaunchPairs pairs;
    const double own = interaction_sd_ * normal_(random_);
    for (int i = 0; i < kBlocks; ++i) {
      pairs.push_back({own + pair_sd_ * normal_(random_),
                       i % 2 == 0 ? RanFirst::kBaseline : RanFirst::kCandidate});
    }
    return pairs;
  }

 private:
  double pair_sd_, interaction_sd_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

// Of a single look at margin 0, where equal arms lie on the bound.
double false_failures(double pair_sd, double interaction_sd, bool with_profile) {
  EqualLaunches equal(pair_sd, interaction_sd, 29);
  GateRule rule;
  rule.looks = 1;
  int failures = 0;
  for (int i = 0; i < kReplicates; ++i) {
    std::vector<LaunchPairs> launches;
    for (int j = 0; j < kFewestLaunchesOfAProfile; ++j) launches.push_back(equal.launch());
    const double allowed = variance_components(launches)->interaction_sd;
    rule.allowance.sd = with_profile ? allowed : 0;
    const LaunchPairs pairs = equal.launch();
    failures += judge(*order_adjusted_estimate(pairs), rule).outcome == Outcome::kFail ? 1 : 0;
  }
  return static_cast<double>(failures) / kReplicates;
}

TEST(NoiseProfileMonteCarlo, holds_false_failures_near_their_level) {
  constexpr double kSe = .0021;  // of a rate of .056, the largest of 40,000 replicates each
  for (const double pair_sd : {.002, .009}) {
    for (const double interaction_sd : {.001, .003}) {
      SCOPED_TRACE(std::to_string(pair_sd) + " " + std::to_string(interaction_sd));
      EXPECT_LE(false_failures(pair_sd, interaction_sd, true), .056 + 3 * kSe);
    }
  }
}

TEST(NoiseProfileMonteCarlo, would_see_an_interaction_that_is_not_allowed_for) {
  EXPECT_NEAR(false_failures(.009, .003, false), .118, .016);
}

}  // namespace
}  // namespace traceml
