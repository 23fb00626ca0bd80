#include "harness/codec/selfcheck_json.h"

#include "harness/codec/json_text.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

Json count_or_null(const std::optional<int>& count) {
  return count ? Json(*count) : Json(nullptr);
}

Json claims_json(const FalseClaims& claims) {
  return {{"runs", claims.runs},
          {"fail", claims.fail},
          {"slower", claims.slower},
          {"faster", claims.faster},
          {"expected_on_one_side", json_number(claims.expected)},
          {"limit_on_one_side", count_or_null(claims.limit)},
          {"broken", claims.broken()}};
}

Json noise_json(const std::optional<VarianceComponents>& noise) {
  if (!noise) return nullptr;
  return {{"launches", noise->launches},
          {"pairs", noise->pairs},
          {"pair_sd", json_number(noise->pair_sd)},
          {"launch_mean_sd", json_number(noise->mean_sd)},
          {"interaction_sd", json_number(noise->interaction_sd)},
          {"interaction_sd_upper", json_number(noise->interaction_sd_upper)}};
}

Json plants_json(const std::vector<PlantFound>& plants) {
  Json list = Json::array();
  for (const PlantFound& plant : plants) {
    list.push_back({{"arm", plant.arm},
                    {"runs", plant.runs},
                    {"found", plant.found},
                    {"estimate", json_number(plant.estimate)},
                    {"units_when_found", plant.found > 0 ? json_number(plant.units) : Json()}});
  }
  return list;
}

Json budgets_json(const std::vector<Budget>& budgets) {
  Json list = Json::array();
  for (const Budget& budget : budgets) {
    list.push_back({{"effect", json_number(budget.effect)},
                    {"power", json_number(budget.power)},
                    {"pairs", count_or_null(budget.pairs)},
                    {"launches", count_or_null(budget.launches)}});
  }
  return list;
}

Json arms_json(const std::vector<ClaimsOfArm>& arms) {
  Json list = Json::array();
  for (const ClaimsOfArm& arm : arms) {
    Json runs = Json::array();
    for (const RunClaim& claim : arm.runs) {
      runs.push_back({{"outcome", name_of(claim.outcome)},
                      {"direction", name_of(claim.direction)},
                      {"estimate", json_number(claim.estimate)},
                      {"lower", json_number(claim.lower)},
                      {"upper", json_number(claim.upper)}});
    }
    list.push_back({{"arm", arm.arm}, {"runs", runs}});
  }
  return list;
}

}  // namespace

int exit_code_of(const SelfcheckReport& report) {
  if (!report.is_whole()) return value_of(ExitCode::kRunFailed);
  const int code = report.summary.exit_code();
  const bool passes = code == value_of(ExitCode::kPass);
  return passes && !report.withheld.empty() ? value_of(ExitCode::kInconclusive) : code;
}

std::string write_selfcheck_json(const SelfcheckReport& report) {
  const SelfcheckSummary& summary = report.summary;
  const CampaignFacts& facts = summary.facts;
  return json_text(
      {{"schema", "traceml-bench/selfcheck/1"},
       {"exit_code", exit_code_of(report)},
       {"config", report.config_name},
       {"config_hash", report.request.config_hash},
       {"created_utc", report.request.created_utc},
       {"machine", report.profile.machine},
       {"arm", report.request.arm},
       {"margin", json_number(summary.delta)},
       {"alpha", json_number(facts.alpha)},
       {"runs", report.finished},
       {"runs_asked_for", report.request.runs},
       {"withheld", report.withheld.empty() ? Json(nullptr) : Json(report.withheld)},
       {"runs_unfinished", report.unfinished},
       {"launches_of_a_run", report.request.launches},
       {"blocks_of_a_launch", facts.max_blocks},
       {"false_claims", claims_json(summary.claims)},
       {"noise", noise_json(summary.noise)},
       {"minimum_detectable", json_number(summary.minimum_detectable)},
       {"minimum_detectable_with_profile", json_number(summary.detectable_with_profile)},
       {"budgets", budgets_json(summary.budgets)},
       {"plants", plants_json(summary.plants)},
       {"arms", arms_json(summary.arms)}});
}

}  // namespace traceml
