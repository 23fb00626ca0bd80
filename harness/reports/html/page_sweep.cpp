#include "harness/analysis/relative_change.h"
#include "harness/reports/html/page_data.h"
#include "harness/reports/sweep_report.h"

namespace traceml {
namespace {

const std::string& name_of(const ReportInput& input, ArmIndex arm) {
  return input.plan.facts.arms.at(static_cast<std::size_t>(arm.value)).name;
}

// Of the wall per step against the best's; the best has no change to itself.
void write_setting(const ReportInput& input, const SettingResult& setting, JsonWriter* json) {
  const GateResult* judged = setting.judged ? &*setting.judged : nullptr;
  const auto& interval = judged == nullptr ? std::nullopt : judged->interval;
  json->begin_object();
  json->member("name", name_of(input, setting.setting.arm));
  json->member("standing", name_of(setting.standing));
  json->key("change");
  json->begin_object();
  json->member("estimate", judged == nullptr ? std::nullopt : relative_change(judged->theta));
  json->member("lower", interval ? relative_change(interval->lower) : std::nullopt);
  json->member("upper", interval ? relative_change(interval->upper) : std::nullopt);
  json->member("margin", input.summary.sweep->spec.delta);
  json->end_object();
  json->member("minimum_detectable", judged == nullptr ? std::nullopt : judged->minimum_detectable);
  json->member("blocks", judged == nullptr ? std::nullopt : std::optional(judged->blocks));
  json->end_object();
}

}  // namespace

void write_sweep(const ReportInput& input, JsonWriter* json) {
  json->key("sweep");
  if (!input.summary.sweep) return json->null();
  const SweepResult& sweep = *input.summary.sweep;
  const CampaignFacts& facts = input.plan.facts;
  json->begin_object();
  json->member("word", sweep_word(sweep));
  json->member("answer", sweep_answer(sweep, facts));
  json->member("basis", sweep_basis(sweep, facts));
  json->key("sentences");
  json->begin_array();
  for (const std::string& sentence : sweep_sentences(sweep, facts)) json->value(sentence);
  json->end_array();
  json->key("settings");
  json->begin_array();
  for (const SettingResult& setting : sweep.settings) write_setting(input, setting, json);
  json->end_array();
  json->end_object();
}

}  // namespace traceml
