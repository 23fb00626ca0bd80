// Error rates of a sweep, from window records to standings (docs/statistics.md, 2.13).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/analysis/swept_campaign.h"

namespace traceml {
namespace {

struct Rates {
  double tied = 0;    // sweeps with any setting called tied that must not be
  double worse = 0;   // or worse
  double picked = 0;  // sweeps whose answer is setting 0, with nothing left open
};

// Noise is that of a window; a pair's is sqrt(2) times it. `interaction_sd` is what a launch adds
// to the ratio of two arms, `allowed_sd` what the analysis allows for.
Rates rates_of(synthetic::Campaign campaign, int replicates, double interaction_sd = 0,
               double allowed_sd = 0) {
  campaign.interaction_sd = allowed_sd;
  const CampaignFacts facts = sweep_facts(campaign);
  const std::vector<synthetic::Arm> arms = campaign.arms;
  std::mt19937_64 random(20261130);
  std::normal_distribution<double> normal;
  Rates rates;
  for (int i = 0; i < replicates; ++i) {
    campaign.seed = random();
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      // The interaction is between two arms: each has its share.
      campaign.arms[arm].step_ms =
          arms[arm].step_ms * std::exp(interaction_sd / std::sqrt(2.) * normal(random));
    }
    const CampaignSummary summary = summarize_campaign(facts, synthetic::records_of(campaign));
    const std::vector<Standing> standings = standings_of(summary);
    const auto any = [&](Standing one) {
      return std::find(standings.begin(), standings.end(), one) != standings.end();
    };
    rates.tied += any(Standing::kTied) * 1. / replicates;
    rates.worse += any(Standing::kWorse) * 1. / replicates;
    const SweepResult& sweep = *summary.sweep;
    const bool certain = sweep.open.empty() && sweep.doubts.empty();
    rates.picked += (sweep.answer == 0u && certain) * 1. / replicates;
  }
  std::fprintf(stderr, "any tied: %.4f, any worse: %.4f, setting 0 for certain: %.4f\n", rates.tied,
               rates.worse, rates.picked);
  return rates;
}

constexpr int kReplicates = 3000;
const double kAllowed = .05 + 3 * std::sqrt(.05 * .95 / kReplicates);

// Four settings exactly at the margin behind the fifth, which the first blocks choose for certain
// at this noise: every "tied" and every "worse" is an error.
TEST(SweepMonteCarlo, at_the_margin_any_wrong_standing_of_the_sweep_stays_under_five_percent) {
  const Rates rates = rates_of(swept({101, 101, 101, 101, 100}, .002), kReplicates);
  EXPECT_LE(rates.tied, kAllowed);
  EXPECT_LE(rates.worse, kAllowed);
  EXPECT_GE(rates.tied, .015);  // far below: the levels would be too strict
  EXPECT_GE(rates.worse, .015);
}

TEST(SweepMonteCarlo, what_one_launch_cannot_see_is_allowed_for) {
  const synthetic::Campaign campaign = swept({101, 101, 101, 101, 100}, .002);
  const Rates plain = rates_of(campaign, kReplicates, .003);
  EXPECT_GE(plain.tied, .3);
  EXPECT_GE(plain.worse, .3);
  const Rates rates = rates_of(campaign, kReplicates, .003, .003);
  EXPECT_LE(rates.tied, kAllowed);
  EXPECT_LE(rates.worse, kAllowed);
}

// The setting that looks best in noise would make the others look worse in the blocks that chose
// it; in later ones it does not.
TEST(SweepMonteCarlo, equal_settings_are_not_called_worse_for_the_luck_of_the_best) {
  const Rates rates = rates_of(swept({100, 100, 100, 100, 100, 100, 100, 100}, .02), kReplicates);
  EXPECT_LE(rates.worse, .01);
}

// In many of these sweeps the first blocks take the slower setting for the best.
TEST(SweepMonteCarlo, a_best_that_is_slower_by_the_margin_is_rarely_left_undoubted) {
  EXPECT_LE(rates_of(swept({101, 100}, .01), kReplicates).picked, kAllowed);
}

TEST(SweepMonteCarlo, three_margins_from_the_border_the_answer_is_right) {
  EXPECT_LE(rates_of(swept({104, 100, 100}, .003), 1000).picked, .01);
  EXPECT_GE(rates_of(swept({100, 100, 104}, .002), 1000).picked, .97);
}

}  // namespace
}  // namespace traceml
