#include "harness/analysis/selfcheck.h"

#include <cmath>

#include "harness/analysis/power.h"
#include "harness/analysis/quantiles.h"
#include "harness/analysis/relative_change.h"
#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr double kTooRare = 0.02;  // oracle 17: 1.6 % of honest machines have 4 of 20

std::optional<int> limit_of(int runs, double alpha) {
  for (int claims = 1; claims <= runs; ++claims) {
    if (binomial_upper_tail(runs, claims, alpha) < kTooRare) return claims;
  }
  return std::nullopt;
}

const std::string& candidate_of(const CampaignFacts& facts, std::size_t gate) {
  return facts.arms.at(static_cast<std::size_t>(facts.gates[gate].candidate.value)).name;
}

ClaimsOfArm claims_of(const CampaignFacts& facts, const std::vector<EqualRun>& runs,
                      std::size_t gate) {
  ClaimsOfArm claims{candidate_of(facts, gate), {}};
  for (const EqualRun& run : runs) {
    const GateResult& result = run.gates.at(gate);
    RunClaim claim{result.outcome, result.direction, relative_change(result.theta), {}, {}};
    if (result.interval) {
      claim.lower = std::expm1(result.interval->lower);
      claim.upper = std::expm1(result.interval->upper);
    }
    claims.runs.push_back(claim);
  }
  return claims;
}

PlantFound found_in(const std::vector<EqualRun>& runs, std::size_t gate, const std::string& arm) {
  PlantFound plant;
  plant.arm = arm;
  double sum = 0, closed = 0;
  int estimates = 0;
  for (const EqualRun& run : runs) {
    const GateResult& result = run.gates.at(gate);
    ++plant.runs;
    if (result.theta) {
      sum += std::expm1(*result.theta);
      ++estimates;
    }
    if (result.outcome != Outcome::kFail) continue;
    ++plant.found;
    closed += result.look;
  }
  if (estimates > 0) plant.estimate = sum / estimates;
  if (plant.found > 0) plant.units = closed / plant.found;
  return plant;
}

// Of the mean of a launch's pairs, what is between launches included.
double sd_of_launch(const VarianceComponents& noise, int blocks) {
  return std::hypot(noise.interaction_sd, noise.pair_sd / std::sqrt(blocks));
}

// By the rule of the config's last look, which allows for `allowed` between launches; the scatter
// is that of the noise, whatever is allowed for.
double detectable(const CampaignFacts& facts, const VarianceComponents& noise, double allowed) {
  constexpr double kMissed = 0.2;  // of runs
  const double level = facts.alpha / alpha_shares(facts);
  if (facts.pooled) {
    const double sd = sd_of_launch(noise, facts.max_blocks);
    const double launches = facts.launches;
    return minimum_detectable_change({sd, sd / std::sqrt(launches), launches - 1, 0}, level, {});
  }
  const double blocks = facts.max_blocks;
  const Spread spread{noise.pair_sd, noise.pair_sd / std::sqrt(blocks), blocks - 2, 0};
  const double scatter = std::hypot(spread.se, noise.interaction_sd);
  return std::expm1(half_width(spread, level, {allowed, 1}) +
                    student_quantile(kMissed, spread.df) * scatter);
}

std::vector<Budget> budgets_of(const CampaignFacts& facts, const VarianceComponents& noise,
                               double delta, const std::vector<double>& effects) {
  std::vector<Budget> budgets;
  for (const double effect : effects) {
    const double distance = distance_to_margin(effect, delta);
    for (const double power : {0.8, 0.9}) {
      Budget budget{effect, power, {}, {}};
      budget.pairs = units_needed(kPairs, noise.pair_sd, distance, facts.alpha, power);
      budget.launches = units_needed(kLaunchesAsUnits, sd_of_launch(noise, facts.max_blocks),
                                     distance, facts.alpha, power);
      budgets.push_back(budget);
    }
  }
  return budgets;
}

}  // namespace

FalseClaims count_claims(const std::vector<EqualRun>& runs, double alpha) {
  FalseClaims claims;
  for (const EqualRun& run : runs) {
    const GateResult& gate = run.gates.at(0);
    if (!gate.interval) continue;
    ++claims.runs;
    const bool fails = gate.outcome == Outcome::kFail;
    claims.fail += fails ? 1 : 0;
    claims.slower += fails || gate.direction == Direction::kSlower ? 1 : 0;
    claims.faster += gate.direction == Direction::kFaster ? 1 : 0;
  }
  claims.expected = alpha * claims.runs;
  claims.limit = limit_of(claims.runs, alpha);
  return claims;
}

int SelfcheckSummary::exit_code() const {
  if (claims.broken()) return value_of(ExitCode::kRegression);
  if (!claims.limit) return value_of(ExitCode::kInconclusive);
  for (const PlantFound& plant : plants) {
    if (plant.seldom()) return value_of(ExitCode::kInconclusive);
  }
  return value_of(ExitCode::kPass);
}

SelfcheckSummary summarize_selfcheck(const CampaignFacts& facts, const std::vector<EqualRun>& runs,
                                     const std::vector<double>& effects) {
  SelfcheckSummary summary;
  summary.facts = facts;
  summary.delta = facts.gates.at(0).delta;
  summary.claims = count_claims(runs, facts.alpha);
  std::vector<LaunchPairs> launches;
  for (const EqualRun& run : runs) {
    launches.insert(launches.end(), run.equal_pairs.begin(), run.equal_pairs.end());
  }
  summary.noise = variance_components(launches);
  for (std::size_t i = 0; i < facts.gates.size(); ++i) {
    summary.arms.push_back(claims_of(facts, runs, i));
    if (i > 0) summary.plants.push_back(found_in(runs, i, candidate_of(facts, i)));
  }
  if (!summary.noise) return summary;
  summary.minimum_detectable = detectable(facts, *summary.noise, facts.interaction_sd);
  if (!facts.pooled && summary.noise->launches >= kFewestLaunchesOfAProfile) {
    summary.detectable_with_profile =
        detectable(facts, *summary.noise, summary.noise->interaction_sd);
  }
  summary.budgets = budgets_of(facts, *summary.noise, summary.delta, effects);
  return summary;
}

}  // namespace traceml
