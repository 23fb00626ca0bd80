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

Judged judge_figure(const Values& baseline, const std::optional<double>& candidate,
                    const GateRule& rule) {
  Judged judged;
  if (!candidate || baseline.empty()) return judged;
  double sum = 0;
  for (const double value : baseline) sum += value;
  judged.theta = *candidate - sum / static_cast<double>(baseline.size());
  judged.estimate = stored_estimate(baseline, *candidate);
  if (judged.estimate) judged.judgement = judge(*judged.estimate, rule);
  return judged;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : what.ends_with("h") ? "es" : "s");
}

// The campaigns that the store lacks, or the launches that one of them lacks.
std::optional<Finding> missing_units(const CampaignRecord& candidate,
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
  const auto too_few = [&](const CampaignRecord& campaign, const std::string& who) {
    const StoredArm* found = arm_of(campaign, arm);
    const std::size_t launches = found == nullptr ? 0 : found->launches.size();
    return launches >= kFewestLaunchesOfACampaign
               ? ""
               : who + " has " + counted(launches, "valid launch") + " of " + arm +
                     "; a campaign needs three";
  };
  if (const auto why = too_few(candidate, "this campaign"); !why.empty()) return lacking(why);
  for (const CampaignRecord& campaign : baseline.campaigns) {
    if (const auto why = too_few(campaign, campaign.name); !why.empty()) return lacking(why);
    const bool shared =
        std::any_of(campaign.runs.begin(), campaign.runs.end(), [&](const auto& run) {
          return std::find(candidate.runs.begin(), candidate.runs.end(), run) !=
                 candidate.runs.end();
        });
    if (shared) return lacking("this campaign is itself " + campaign.name + " of the baseline");
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

void add_requirements(const CampaignRecord& candidate, const PinnedBaseline& baseline,
                      const std::string& arm, const GateSpec& gate, GateResult& result,
                      std::vector<Finding>& findings) {
  const FingerprintDifferences differences =
      fingerprint_differences(candidate, baseline.campaigns, arm, gate.stored->treatment);
  if (!differences.forbidden.empty()) {
    findings.push_back({Reason::kFingerprint, joined(differences.forbidden)});
  }
  result.stored->treatments = differences.treatments;
  result.stored->also_differ = differences.also_differ;
  if (baseline.campaigns.size() == 1) {
    findings.push_back({Reason::kSingleRun, "one campaign against one other"});
  }
  if (auto finding = missing_units(candidate, baseline, arm)) findings.push_back(*finding);
}

ReferenceGuard guard_of(const CampaignRecord& candidate, const PinnedBaseline& baseline,
                        const std::string& arm, const GateSpec& gate, GateRule rule) {
  ReferenceGuard guard;
  guard.arm = reference_of(candidate, arm);
  guard.delta = gate.stored->reference_delta;
  rule.bound = std::log1p(guard.delta);
  const Judged judged =
      judge_figure(log_walls_of_reference(baseline, arm), log_wall_of(candidate, guard.arm), rule);
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

std::optional<Estimate> stored_estimate(std::span<const double> baseline, double candidate) {
  std::optional<Estimate> estimate = launch_estimate(baseline);
  if (!estimate) return std::nullopt;
  estimate->theta = candidate - estimate->theta;
  estimate->spread->se =
      estimate->spread->sd * std::sqrt(1 + 1 / static_cast<double>(baseline.size()));
  return estimate;
}

std::optional<double> stored_minimum_detectable(std::span<const double> baseline, double alpha) {
  const std::optional<Estimate> estimate = stored_estimate(baseline, 0);
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
                                const CampaignRecord& candidate, const PinnedBaseline& baseline,
                                std::vector<Finding> findings) {
  const std::string& arm = facts.arms.at(static_cast<std::size_t>(gate.candidate.value)).name;
  const bool ratio = gate.judges_ratio_to_reference();
  GateResult result;
  result.spec = gate;
  result.stored = StoredComparison{};
  result.stored->pin = baseline.pin;
  for (const CampaignRecord& one : baseline.campaigns) result.stored->campaigns.push_back(one.name);
  if (const StoredArm* own = arm_of(candidate, arm)) {
    result.launches = static_cast<int>(own->launches.size());
    result.blocks = result.launches * facts.max_blocks;
  }
  GateRule rule{std::log1p(gate.delta), facts.alpha, 1, claims_of(facts), false, {}};
  const Values values = ratio ? log_ratios_of(baseline, arm) : log_walls_of(baseline, arm);
  const Judged judged = judge_figure(
      values, ratio ? log_ratio_to_reference(candidate, arm) : log_wall_of(candidate, arm), rule);
  result.theta = judged.theta;
  if (judged.judgement) fill_judgement(*judged.estimate, *judged.judgement, rule, result);
  if (ratio) result.stored->guard = guard_of(candidate, baseline, arm, gate, rule);
  add_requirements(candidate, baseline, arm, gate, result, findings);
  if (findings.empty() && (!judged.judgement || values.size() < baseline.campaigns.size())) {
    findings.push_back({Reason::kBaselineCampaigns,
                        "the stored campaigns do not hold " + arm + " as it is judged here"});
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
