#pragma once
// Runs of equal arms, and what they say of the gates of a config on a machine (docs/statistics.md,
// 2.7, 3.5 and oracle 17).

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/summary.h"
#include "harness/analysis/variance_components.h"
#include "harness/core/campaign.h"

namespace traceml {

// One run of measure.equal_arms: its gates in the order of the plan (the equal arm first, then the
// planted ones), and the pairs of its equal arms by launch.
struct EqualRun {
  std::vector<GateResult> gates;
  std::vector<LaunchPairs> equal_pairs;
};

// What one run said of one arm against the plain one; relative changes of the time per step.
struct RunClaim {
  Outcome outcome = Outcome::kInconclusive;
  Direction direction = Direction::kUnresolved;
  std::optional<double> estimate, lower, upper;
};

// All runs of one arm, in their order: the equal arm or a planted one.
struct ClaimsOfArm {
  std::string arm;
  std::vector<RunClaim> runs;
};

inline constexpr int kRunsOfACheck = 20;  // oracle 17

// What equal arms were said to be. A run may count on either side.
struct FalseClaims {
  int runs = 0;         // with an interval, so that they could claim something
  int fail = 0;         // FAIL
  int slower = 0;       // FAIL or `slower`
  int faster = 0;       // `faster`
  double expected = 0;  // on one side, at most: alpha of the runs
  // So many on one side are too many: the fewest k with P(X >= k) < 2 %, X binomial at alpha; 4 of
  // 20. nullopt: so few runs show nothing.
  std::optional<int> limit;

  bool broken() const { return limit && (slower >= *limit || faster >= *limit); }
};

FalseClaims count_claims(const std::vector<EqualRun>& runs, double alpha);

// One planted slowdown: how often the gate found it.
struct PlantFound {
  std::string arm;
  int runs = 0;
  int found = 0;                   // runs that FAIL
  std::optional<double> estimate;  // mean over runs that have one, as a relative change
  double units = 0;  // mean blocks (launches) at which those that FAIL closed; 0 without any

  bool seldom() const { return 2 * found < runs; }
};

// What it takes to tell `effect` from the margin, in a single look at alpha (3.5). Null: never.
struct Budget {
  double effect = 0;
  double power = 0.8;
  std::optional<int> pairs;     // of one launch, were there nothing between launches
  std::optional<int> launches;  // as units, each of as many blocks as the config's
};

struct SelfcheckSummary {
  CampaignFacts facts;            // of one run; with several launches as a run the pooled ones
  double delta = 0;               // the margin of its gates
  std::vector<ClaimsOfArm> arms;  // in the order of the gates
  FalseClaims claims;
  std::optional<VarianceComponents> noise;  // null: too few launches
  std::vector<PlantFound> plants;
  // The relative change that the config tells from none in 4 of 5 runs, at its last look, with the
  // noise that was seen. Null without `noise`.
  std::optional<double> minimum_detectable;
  std::optional<double> detectable_with_profile;  // null, too, where no profile is of use
  std::vector<Budget> budgets;                    // of the effects that were asked for

  // 10 where the statistics are broken; 11 where the runs show nothing of them, or a planted
  // slowdown was seldom found; else 0.
  int exit_code() const;
};

SelfcheckSummary summarize_selfcheck(const CampaignFacts& facts, const std::vector<EqualRun>& runs,
                                     const std::vector<double>& effects);

}  // namespace traceml
