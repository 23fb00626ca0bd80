#include "harness/codec/run_json_sweep.h"

#include "harness/codec/json_text.h"
#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

const std::string& name_of_arm(const CampaignFacts& facts, ArmIndex arm) {
  return facts.arms.at(static_cast<std::size_t>(arm.value)).name;
}

Json fraction_json(const std::optional<FractionFigure>& figure) {
  if (!figure) return nullptr;
  const auto& interval = figure->interval;
  return {{"fraction", json_number(figure->fraction)},
          {"lower_90", interval ? json_number(interval->lower) : Json(nullptr)},
          {"upper_90", interval ? json_number(interval->upper) : Json(nullptr)},
          {"blocks", figure->blocks}};
}

Json waits_json(const std::optional<InputWait>& waits) {
  if (!waits) return nullptr;
  return {{"clock", name_of(waits->clock)},
          {"share", json_number(waits->share)},
          {"of_reference", json_number(waits->of_reference)},
          {"limited_by", waits->limit ? Json(name_of(*waits->limit)) : Json(nullptr)}};
}

Json curve_json(const SweepResult& sweep, const CampaignFacts& facts) {
  if (!sweep.curve) return nullptr;
  const SweepCurve& curve = *sweep.curve;
  Json order = Json::array();
  for (const std::size_t i : curve.order) {
    order.push_back(name_of_arm(facts, sweep.settings[i].setting.arm));
  }
  return {{"key", sweep.spec.keys[curve.key]},
          {"settings", std::move(order)},
          {"knee", name_of(curve.knee)},
          {"at", curve.at ? Json(name_of_arm(facts, sweep.settings[*curve.at].setting.arm))
                          : Json(nullptr)}};
}

}  // namespace

Json sweep_json(const SweepResult& sweep, const CampaignFacts& facts,
                const std::function<Json(const GateResult&)>& judged) {
  const auto name = [&](const std::optional<std::size_t>& i) {
    return i ? Json(name_of_arm(facts, sweep.settings[*i].setting.arm)) : Json(nullptr);
  };
  Json settings = Json::array();
  for (const SettingResult& setting : sweep.settings) {
    Json values = Json::object();
    for (std::size_t key = 0; key < sweep.spec.keys.size(); ++key) {
      values[sweep.spec.keys[key]] = value_without_folders(setting.setting.values[key]);
    }
    settings.push_back({{"arm", name_of_arm(facts, setting.setting.arm)},
                        {"values", std::move(values)},
                        {"cost_rank", setting.setting.cost_rank},
                        {"loader_threads", setting.setting.loader_threads},
                        {"loader_bytes", setting.setting.loader_bytes},
                        {"standing", name_of(setting.standing)},
                        {"doubts_best", setting.doubts_best},
                        {"beats_best", setting.beats_best},
                        {"judged", setting.judged ? judged(*setting.judged) : Json(nullptr)},
                        {"of_reference", fraction_json(setting.of_matched)},
                        {"of_common_reference", fraction_json(setting.of_common)},
                        {"waits", waits_json(setting.waits)}});
  }
  Json open = Json::array();
  for (const std::size_t i : sweep.open) open.push_back(name(i));
  Json doubts = Json::array();
  for (const std::size_t i : sweep.doubts) doubts.push_back(name(i));
  const auto& common = sweep.spec.common_reference;
  return {
      {"arm", sweep.spec.arm},
      {"margin", json_number(sweep.spec.delta)},
      {"choosing_blocks", kChoosingBlocks},
      {"common_reference", common ? Json(name_of_arm(facts, *common)) : Json(nullptr)},
      {"best", name(sweep.best)},
      {"answer", name(sweep.answer)},
      {"cheaper_unresolved", std::move(open)},
      {"may_be_faster", std::move(doubts)},
      {"why_no_answer", sweep.why_no_answer.empty() ? Json(nullptr) : Json(sweep.why_no_answer)},
      {"settings", std::move(settings)},
      {"curve", curve_json(sweep, facts)}};
}

}  // namespace traceml
