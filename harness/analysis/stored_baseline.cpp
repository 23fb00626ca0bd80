#include "harness/analysis/stored_baseline.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/gate_result.h"
#include "harness/analysis/stored_fingerprint.h"
#include "harness/analysis/text.h"
#include "harness/analysis/verdict.h"

namespace traceml {

namespace {

using Values = std::vector<double>;

const StoredArm* arm_of(const CampaignRecord& campaign, const std::string& name) {
  const auto found = campaign.arms.find(name);
  return found == campaign.arms.end() ? nullptr : &found->second;
}

std::string reference_of(const CampaignRecord& campaign, const std::string& arm) {
  const StoredArm* found = arm_of(campaign, arm);
  return found == nullptr ? "" : found->reference;
}

template <class ValueOf>
Values values_of(const std::vector<CampaignRecord>& campaigns, ValueOf value_of) {
  Values values;
  for (const CampaignRecord& campaign : campaigns) {
    if (const std::optional<double> value = value_of(campaign)) values.push_back(*value);
  }
  return values;
}

// One figure of the candidate against the same one of the stored campaigns.
struct Judged {
  std::optional<double> theta;
  std::optional<Estimate> estimate;  // null below two stored campaigns
  std::optional<Judgement> judgement;
};

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double squares_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

Judged judge_figure(const Values& baseline, const Values& candidates, const GateRule& rule) {
  Judged judged;
  if (candidates.empty() || baseline.empty()) return judged;
  judged.theta = mean_of(candidates) - mean_of(baseline);
  judged.estimate = stored_estimate(baseline, candidates);
  if (judged.estimate) judged.judgement = judge(*judged.estimate, rule);
  return judged;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : what.ends_with("h") ? "es" : "s");
}

std::string called(const CampaignRecord& candidate) {
  return candidate.name.empty() ? "this campaign" : candidate.name;
}

bool share_a_run(const CampaignRecord& one, const CampaignRecord& other) {
  return std::any_of(one.runs.begin(), one.runs.end(), [&](const std::string& run) {
    return std::find(other.runs.begin(), other.runs.end(), run) != other.runs.end();
  });
}

// "c has 2 valid launches of shipped; ..."; empty where they are enough.
std::string too_few_launches_of(const CampaignRecord& campaign, const std::string& arm) {
  const StoredArm* found = arm_of(campaign, arm);
  const std::size_t launches = found == nullptr ? 0 : found->launches.size();
  if (launches >= kFewestLaunchesOfACampaign) return "";
  return called(campaign) + " has " + counted(launches, "valid launch") + " of " + arm +
         "; a campaign needs three";
}

// The campaigns that the store lacks, or the launches that one of them lacks.
std::optional<Finding> missing_units(const std::vector<CampaignRecord>& candidates,
                                     const PinnedBaseline& baseline, const std::string& arm) {
  const auto lacking = [](const std::string& why) {
    return Finding{Reason::kBaselineCampaigns, why};
  };
  const std::size_t pinned = baseline.campaigns.size();
  if (pinned < kFewestCampaigns) {
    const std::string stored = counted(static_cast<std::size_t>(baseline.stored), "campaign");
    return lacking(pinned == 0 && baseline.stored > 0
                       ? stored + (baseline.stored == 1 ? " is" : " are") +
                             " stored and none is pinned; a verdict needs five pinned ones"
                       : counted(pinned, "pinned campaign") + "; a verdict needs five");
  }
  for (const auto* campaigns : {&candidates, &baseline.campaigns}) {
    for (const CampaignRecord& campaign : *campaigns) {
      if (const auto why = too_few_launches_of(campaign, arm); !why.empty()) return lacking(why);
    }
  }
  for (const CampaignRecord& candidate : candidates) {
    for (const CampaignRecord& campaign : baseline.campaigns) {
      if (!share_a_run(campaign, candidate)) continue;
      return lacking(called(candidate) + " is itself " + campaign.name + " of the baseline");
    }
    for (const CampaignRecord& other : candidates) {
      if (&other == &candidate) break;
      if (!share_a_run(candidate, other)) continue;
      return lacking(other.name + " and " + candidate.name +
                     " are one campaign, which counts once");
    }
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

void add_distinct(const std::vector<std::string>& more, std::vector<std::string>* all) {
  for (const std::string& one : more) {
    if (std::find(all->begin(), all->end(), one) == all->end()) all->push_back(one);
  }
}

// Candidates that are judged together are of one fingerprint themselves, the treatment included.
FingerprintDifferences differences_of(const std::vector<CampaignRecord>& candidates,
                                      const PinnedBaseline& baseline, const std::string& arm,
                                      const std::vector<std::string>& treatment) {
  FingerprintDifferences all;
  for (const CampaignRecord& candidate : candidates) {
    const auto own = fingerprint_differences(candidate, baseline.campaigns, arm, treatment);
    add_distinct(own.forbidden, &all.forbidden);
    add_distinct(own.treatments, &all.treatments);
    add_distinct(own.also_differ, &all.also_differ);
    const auto among = fingerprint_differences(candidate, {candidates.front()}, arm, {});
    for (const std::string& difference : among.forbidden) {
      add_distinct({candidate.name + " and " + candidates.front().name + " are no one candidate (" +
                    difference + ")"},
                   &all.forbidden);
    }
  }
  return all;
}

void add_requirements(const std::vector<CampaignRecord>& candidates, const PinnedBaseline& baseline,
                      const std::string& arm, const GateSpec& gate, GateResult& result,
                      std::vector<Finding>& findings) {
  const FingerprintDifferences differences =
      differences_of(candidates, baseline, arm, gate.stored->treatment);
  if (!differences.forbidden.empty()) {
    findings.push_back({Reason::kFingerprint, joined(differences.forbidden)});
  }
  result.stored->treatments = differences.treatments;
  result.stored->also_differ = differences.also_differ;
  if (baseline.campaigns.size() == 1 && candidates.size() == 1) {
    findings.push_back({Reason::kSingleRun, "one campaign against one other"});
  }
  if (auto finding = missing_units(candidates, baseline, arm)) findings.push_back(*finding);
}

ReferenceGuard guard_of(const std::vector<CampaignRecord>& candidates,
                        const PinnedBaseline& baseline, const std::string& arm,
                        const GateSpec& gate, GateRule rule) {
  ReferenceGuard guard;
  guard.arm = reference_of(candidates.front(), arm);
  guard.delta = gate.stored->reference_delta;
  rule.bound = std::log1p(guard.delta);
  const Values own =
      values_of(candidates, [&](const CampaignRecord& one) { return log_wall_of(one, guard.arm); });
  const Judged judged = judge_figure(log_walls_of_reference(baseline, arm), own, rule);
  guard.theta = judged.theta;
  if (!judged.judgement) return guard;
  guard.outcome = judged.judgement->outcome;
  guard.interval = judged.judgement->interval;
  guard.minimum_detectable =
      minimum_detectable_change(*judged.estimate->spread, rule.pass_level(), {});
  return guard;
}

void decide(const Judgement& judgement, const GateRule& rule, GateResult& result) {
  const bool guard_fails = result.stored->guard && result.stored->guard->outcome == Outcome::kFail;
  if (judgement.outcome == Outcome::kFail) result.why = why_fail(result.spec, judgement);
  if (guard_fails) {
    const ReferenceGuard& guard = *result.stored->guard;
    result.why += (result.why.empty() ? "" : "; and ") + guard.arm + " itself takes " +
                  signed_percent(std::expm1(*guard.theta)) +
                  ", proven above the guard's margin of " + signed_percent(guard.delta);
  }
  if (judgement.outcome == Outcome::kFail || guard_fails) {
    result.outcome = Outcome::kFail;
  } else if (judgement.outcome == Outcome::kPass) {
    result.outcome = Outcome::kPass;
    result.why = why_pass(result.spec, judgement);
  } else {
    fill_reasons(indecision_findings(result.spec, rule, judgement, {}), result);
  }
}

}  // namespace

std::optional<Estimate> stored_estimate(std::span<const double> baseline,
                                        std::span<const double> candidates) {
  if (baseline.size() < 2 || candidates.empty()) return std::nullopt;
  const auto stored = static_cast<double>(baseline.size());
  const auto judged = static_cast<double>(candidates.size());
  const double df = stored + judged - 2;
  const double sd =
      std::max(std::sqrt((squares_of(baseline) + squares_of(candidates)) / df), kSdFloor);
  return Estimate{baseline.size(), mean_of(candidates) - mean_of(baseline), std::nullopt,
                  Spread{sd, sd * std::sqrt(1 / stored + 1 / judged), df, 0}};
}

std::optional<double> stored_minimum_detectable(std::span<const double> baseline, double alpha) {
  const std::optional<Estimate> estimate = stored_estimate(baseline, Values{0});
  if (!estimate) return std::nullopt;
  return minimum_detectable_change(*estimate->spread, alpha, {});
}

std::optional<double> log_wall_of(const CampaignRecord& campaign, const std::string& arm) {
  const StoredArm* found = arm_of(campaign, arm);
  if (found == nullptr || found->launches.empty()) return std::nullopt;
  double sum = 0;
  for (const StoredLaunch& launch : found->launches) sum += std::log(launch.wall.count());
  return sum / static_cast<double>(found->launches.size());
}

std::optional<double> log_ratio_to_reference(const CampaignRecord& campaign,
                                             const std::string& arm) {
  const StoredArm* found = arm_of(campaign, arm);
  if (found == nullptr || found->launches.empty()) return std::nullopt;
  double sum = 0;
  for (const StoredLaunch& launch : found->launches) {
    if (!launch.log_ratio) return std::nullopt;
    sum += *launch.log_ratio;
  }
  return sum / static_cast<double>(found->launches.size());
}

std::vector<double> log_walls_of(const PinnedBaseline& baseline, const std::string& arm) {
  return values_of(baseline.campaigns,
                   [&](const CampaignRecord& campaign) { return log_wall_of(campaign, arm); });
}

std::vector<double> log_ratios_of(const PinnedBaseline& baseline, const std::string& arm) {
  return values_of(baseline.campaigns, [&](const CampaignRecord& campaign) {
    return log_ratio_to_reference(campaign, arm);
  });
}

std::vector<double> log_walls_of_reference(const PinnedBaseline& baseline, const std::string& arm) {
  return values_of(baseline.campaigns, [&](const CampaignRecord& campaign) {
    return log_wall_of(campaign, reference_of(campaign, arm));
  });
}

GateResult judge_against_stored(const CampaignFacts& facts, const GateSpec& gate,
                                const std::vector<CampaignRecord>& candidates,
                                const PinnedBaseline& baseline, std::vector<Finding> findings) {
  const std::string& arm = facts.arms.at(static_cast<std::size_t>(gate.candidate.value)).name;
  const bool ratio = gate.judges_ratio_to_reference();
  GateResult result;
  result.spec = gate;
  result.stored = StoredComparison{};
  result.stored->pin = baseline.pin;
  result.stored->candidates = static_cast<int>(candidates.size());
  for (const CampaignRecord& one : baseline.campaigns) result.stored->campaigns.push_back(one.name);
  for (const CampaignRecord& candidate : candidates) {
    const StoredArm* own = arm_of(candidate, arm);
    if (own != nullptr) result.launches += static_cast<int>(own->launches.size());
  }
  result.blocks = result.launches * facts.max_blocks;
  GateRule rule{std::log1p(gate.delta), facts.alpha, 1, claims_of(facts), false, {}};
  const Values values = ratio ? log_ratios_of(baseline, arm) : log_walls_of(baseline, arm);
  const Values own = values_of(candidates, [&](const CampaignRecord& one) {
    return ratio ? log_ratio_to_reference(one, arm) : log_wall_of(one, arm);
  });
  const Judged judged = judge_figure(values, own, rule);
  result.theta = judged.theta;
  if (judged.judgement) fill_judgement(*judged.estimate, *judged.judgement, rule, result);
  if (ratio) result.stored->guard = guard_of(candidates, baseline, arm, gate, rule);
  add_requirements(candidates, baseline, arm, gate, result, findings);
  if (findings.empty() && (!judged.judgement || values.size() < baseline.campaigns.size() ||
                           own.size() < candidates.size())) {
    findings.push_back(
        {Reason::kBaselineCampaigns, "not all campaigns hold " + arm + " as it is judged here"});
  }
  if (findings.empty()) {
    decide(*judged.judgement, rule, result);
    if (result.outcome != Outcome::kInconclusive) result.look = result.launches;
  } else {
    fill_reasons(std::move(findings), result);
    if (result.theta) result.why += "; the estimate is advisory";
  }
  return result;
}

}  // namespace traceml
