#include "harness/codec/run_json.h"

#include <cmath>
#include <string_view>

#include "harness/codec/gate_figures.h"
#include "harness/codec/json_text.h"
#include "harness/codec/run_json_arms.h"
#include "harness/codec/run_json_input.h"
#include "harness/codec/run_json_sweep.h"
#include "harness/codec/shareable_text.h"
#include "harness/plan/config_keys.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchemaVersion = "1.0";

Json reason_json(const std::optional<Reason>& reason) {
  return reason ? Json(name_of(*reason)) : Json(nullptr);
}

Json shareable_list(const std::vector<std::string>& sentences) {
  Json list = Json::array();
  for (const std::string& sentence : sentences) list.push_back(without_folders(sentence));
  return list;
}

Json shareable_map(const std::map<std::string, std::string>& facts) {
  Json object = Json::object();
  for (const auto& [key, value] : facts) object[key] = without_folders(value);
  return object;
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"lower", json_number(interval->lower)}, {"upper", json_number(interval->upper)}};
}

// Log ratios, as the analysis has them.
Json theta_json(const GateResult& gate) {
  return {{"estimate", json_number(gate.theta)},
          {"lower", gate.interval ? json_number(gate.interval->lower) : Json(nullptr)},
          {"upper", gate.interval ? json_number(gate.interval->upper) : Json(nullptr)},
          {"fail_lower", json_number(gate.fail_lower)},
          {"pair_sd", json_number(gate.pair_sd)},
          {"order_effect", json_number(gate.order_effect)},
          {"p_regression", json_number(gate.p_regression)},
          {"hodges_lehmann", json_number(gate.hodges_lehmann)},
          {"hodges_lehmann_interval", interval_json(gate.hodges_lehmann_interval)}};
}

Json where_json(const std::vector<PhaseDifference>& where) {
  Json list = Json::array();
  for (const PhaseDifference& difference : where) {
    list.push_back({{"what", difference.what},
                    {"clock", name_of(difference.clock)},
                    {"difference_ms", json_number(difference.difference)}});
  }
  return list;
}

Json per_rank_json(const GateResult& gate) {
  if (!gate.per_rank_difference) return nullptr;
  Json list = Json::array();
  for (const auto& [rank, difference] : *gate.per_rank_difference) {
    list.push_back({{"rank", rank.value}, {"difference_ms", json_number(difference)}});
  }
  return list;
}

Json relative(const std::optional<double>& theta) {
  return theta ? json_number(std::expm1(*theta)) : Json(nullptr);
}

Json confirmation_json(const std::optional<Confirmation>& both) {
  if (!both) return nullptr;
  const auto& bounds = both->interval;
  return {{"first_estimate", relative(both->first_theta)},
          {"first_why", without_folders(both->first_why)},
          {"outcome", both->outcome ? Json(name_of(*both->outcome)) : Json(nullptr)},
          {"estimate", relative(both->theta)},
          {"lower", bounds ? relative(bounds->lower) : Json(nullptr)},
          {"upper", bounds ? relative(bounds->upper) : Json(nullptr)},
          {"why", without_folders(both->why)}};
}

Json stored_json(const GateResult& gate) {
  const StoredComparison& stored = *gate.stored;
  Json guard = nullptr;
  if (stored.guard) {
    const auto& bounds = stored.guard->interval;
    guard = {{"arm", stored.guard->arm},
             {"outcome", name_of(stored.guard->outcome)},
             {"estimate", relative(stored.guard->theta)},
             {"lower", bounds ? relative(bounds->lower) : Json(nullptr)},
             {"upper", bounds ? relative(bounds->upper) : Json(nullptr)},
             {"margin", json_number(stored.guard->delta)},
             {"minimum_detectable", json_number(stored.guard->minimum_detectable)}};
  }
  return {{"store", path_without_folders(gate.spec.stored->store)},
          {"pin", stored.pin},
          {"campaigns", stored.campaigns},
          {"treatment", gate.spec.stored->treatment},
          {"treatments", shareable_list(stored.treatments)},
          {"also_differ", stored.also_differ},
          {"guard", std::move(guard)},
          {"confirmation", confirmation_json(stored.confirmation)}};
}

const char* reduction_of(const GateResult& gate, const CampaignFacts& facts) {
  if (gate.stored && gate.stored->guard) {
    return "wall per step: maximum over ranks; mean over launches of the log ratio to the "
           "reference, against the mean over stored campaigns";
  }
  if (gate.stored) {
    return "wall per step: maximum over ranks; mean over launches of its logarithm, against the "
           "mean over stored campaigns";
  }
  if (facts.commands) return "number of a launch; mean log ratio over blocks";
  if (facts.pooled) {
    return "wall per step: maximum over ranks; mean over launches of their mean log ratio over "
           "blocks";
  }
  return "wall per step: maximum over ranks; mean log ratio over blocks";
}

Json gate_json(const GateResult& gate, const CampaignFacts& facts) {
  const GateFigures figures = figures_of(gate);
  const auto arm_name = [&](ArmIndex arm) {
    return facts.arms.at(static_cast<std::size_t>(arm.value)).name;
  };
  const auto& left_out = gate.spec.left_out;
  Json all_reasons = Json::array();
  for (const Reason reason : gate.all_reasons) all_reasons.push_back(name_of(reason));
  return {{"name", gate.spec.name},
          {"kind", name_of(gate.spec.kind)},
          {"outcome", name_of(gate.outcome)},
          {"reason", reason_json(gate.reason)},
          {"estimate", json_number(figures.estimate)},
          {"lower", figures.interval ? json_number(figures.interval->lower) : Json(nullptr)},
          {"upper", figures.interval ? json_number(figures.interval->upper) : Json(nullptr)},
          {"margin", json_number(figures.margin)},
          {"blocks", gate.blocks},
          {"unit", figures.unit},
          // Gates of live runs judge the window wall (docs/statistics.md 2.1).
          {"clock", name_of(Clock::kCpu)},
          {"minimum_detectable", json_number(gate.minimum_detectable)},
          {"candidate", left_out ? left_out->candidate : arm_name(gate.spec.candidate)},
          {"baseline", gate.spec.stored ? path_without_folders(gate.spec.stored->store)
                       : left_out       ? left_out->baseline
                                        : arm_name(gate.spec.baseline)},
          {"reduction", reduction_of(gate, facts)},
          {"scope", gate.stored                      ? "campaigns"
                    : facts.commands || facts.pooled ? "launches"
                                                     : "launch"},
          {"all_reasons", std::move(all_reasons)},
          {"why", without_folders(gate.why)},
          {"direction", name_of(gate.direction)},
          {"interval_90", interval_json(figures.interval_90)},
          {"theta", theta_json(gate)},
          {"unseen_fraction", json_number(gate.unseen_fraction)},
          {"blocks_voided", gate.blocks_voided},
          {"look", gate.look},
          {"inconclusive_passes", gate.spec.inconclusive_passes},
          {"inconclusive_before", gate.spec.inconclusive_before},
          {"escalated", gate.escalated},
          {"differing_keys", shareable_list(gate.differing_keys)},
          {"mean_difference_ms", json_number(gate.mean_difference)},
          {"where", where_json(gate.where)},
          {"outside_step", without_folders(gate.outside_step)},
          {"per_rank_difference", per_rank_json(gate)}};
}

// One of several launches: its wall per step and, by gate, its unit of the verdict.
Json launch_json(const LaunchRow& launch, const Plan& plan) {
  Json walls = Json::object();
  for (std::size_t i = 0; i < launch.walls.size(); ++i) {
    walls[plan.facts.arms.at(i).name] = json_number(launch.walls[i]);
  }
  Json thetas = Json::object();
  for (std::size_t i = 0; i < launch.thetas.size(); ++i) {
    thetas[plan.facts.gates.at(i).name] = json_number(launch.thetas[i]);
  }
  return {{"launch", launch.number},
          {"seed", seed_of_launch(plan.config.seed, launch.number)},
          {"blocks", launch.blocks},
          {"step_wall_ms", std::move(walls)},
          {"theta", std::move(thetas)}};
}

Json launches_json(const CampaignSummary& summary, const Plan& plan) {
  Json list = Json::array();
  for (const LaunchRow& launch : summary.launches) list.push_back(launch_json(launch, plan));
  return list;
}

Json config_json(const Plan& plan) {
  const CampaignFacts& facts = plan.facts;
  Json arms = Json::object();
  for (const ArmFacts& arm : facts.arms) {
    Json settings = Json::object();
    for (const auto& [key, value] : arm.settings) settings[key] = value_without_folders(value);
    arms[arm.name] = std::move(settings);
  }
  // No setting that is judged; but such runs are not to be taken for others.
  for (const ArmConfig& arm : plan.config.arms) {
    if (!arm.plants.empty()) arms[arm.name]["plant"] = plants_form().print(arm.plants);
  }
  Json keys = Json::object();
  for (const ConfigKey& key : config_keys()) {
    keys[key.path] = value_without_folders(key.get(plan.config));
  }
  return {{"name", plan.config.name},
          {"question", without_folders(plan.config.question)},
          {"seed", facts.seed},
          {"warmup_steps", facts.warmup_steps},
          {"settle_steps", facts.settle_steps},
          {"steps_per_window", facts.steps_per_window},
          {"period", facts.period},
          {"alpha", facts.alpha},
          {"looks", facts.looks},
          {"max_blocks", facts.max_blocks},
          {"interaction_sd", facts.interaction_sd},
          {"keys", std::move(keys)},
          {"arms", std::move(arms)}};
}

Json verdict_json(const RunInfo& info, const CampaignSummary& summary) {
  return {{"outcome", name_of(summary.outcome)},
          {"exit_code", exit_code_of(info, summary)},
          {"reason", reason_json(summary.reason)},
          {"no_gates", summary.no_gates},
          {"finished", !ended_early(info)},
          {"failure", info.failure.empty() ? Json(nullptr) : Json(without_folders(info.failure))}};
}

Json stragglers_json(const CampaignSummary& summary) {
  Json list = Json::array();
  for (const Straggler& straggler : summary.stragglers) {
    list.push_back({{"rank", straggler.rank.value},
                    {"arm", straggler.arm},
                    {"last_steps", straggler.last_steps},
                    {"of_steps", straggler.of_steps},
                    {"recurring", straggler.recurring}});
  }
  return list;
}

// null where the arms train.
Json commands_json(const Plan& plan, const CampaignSummary& summary) {
  if (!summary.commands) return nullptr;
  Json arms = Json::object();
  for (std::size_t i = 0; i < summary.commands->arms.size(); ++i) {
    const CommandFigures& figures = summary.commands->arms[i];
    arms[plan.facts.arms[i].name] = {
        {"launches", figures.launches},      {"launches_in_void_blocks", figures.voided},
        {"mean", json_number(figures.mean)}, {"median", json_number(figures.median)},
        {"min", json_number(figures.min)},   {"max", json_number(figures.max)}};
  }
  return {{"unit", plan.facts.commands->unit},
          {"larger_is", plan.facts.commands->larger_is_better ? "better" : "worse"},
          {"blocks_voided", summary.commands->blocks_voided},
          {"arms", std::move(arms)}};
}

}  // namespace

std::string write_run_json(const RunInfo& info, const Plan& plan, const CampaignSummary& summary) {
  Json gates = Json::array();
  for (const GateResult& gate : summary.gates) {
    gates.push_back(gate_json(gate, plan.facts));
    if (plan.facts.pooled) gates.back()["launches"] = gate.launches;
    if (gate.stored) gates.back()["stored"] = stored_json(gate);
  }
  std::vector<std::string> notes = plan.notes;
  notes.insert(notes.end(), info.notes.begin(), info.notes.end());
  Json json = {{"schema_version", kSchemaVersion},
               {"tool", {{"name", "traceml-bench"}, {"version", info.tool_version}}},
               {"created_utc", info.created_utc},
               {"verdict", verdict_json(info, summary)},
               {"gates", std::move(gates)},
               {"arms", arms_json(info, plan, summary)},
               {"ranks", ranks_json(info, summary)},
               {"input", input_json(summary)},
               {"stragglers", stragglers_json(summary)},
               {"commands", commands_json(plan, summary)},
               {"warnings", shareable_list(summary.warnings)},
               {"notes", shareable_list(notes)},
               {"world_size", info.world_size},
               {"blocks", summary.blocks},
               {"device", info.device},
               {"exchange", info.exchange},
               {"environment", shareable_map(info.environment.facts)},
               {"distortions", shareable_list(info.distortions)},
               {"facts", shareable_map(info.facts)},
               {"equal_by_design", shareable_map(info.equal_by_design)},
               {"config", config_json(plan)},
               {"counters", info.counters},
               {"memory", memory_json(summary)},
               {"mfu", mfu_json(info, plan, summary)}};
  if (plan.facts.pooled) json["launches"] = launches_json(summary, plan);
  if (summary.sweep) {
    json["sweep"] = sweep_json(*summary.sweep, plan.facts, [&](const GateResult& judged) {
      return gate_json(judged, plan.facts);
    });
  }
  return json_text(json);
}

}  // namespace traceml
