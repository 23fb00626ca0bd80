#include <algorithm>

#include "harness/analysis/relative_change.h"
#include "harness/codec/gate_figures.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/html/page_data.h"
#include "harness/reports/scenario.h"
#include "harness/reports/terminal.h"

namespace traceml {
namespace {

// What colour and sign the verdict has.
std::string_view state_of(const ReportInput& input) {
  if (ended_early(input.info)) return "run_failed";
  return input.summary.no_gates ? "no_gates" : name_of(input.summary.outcome);
}

void write_headline(const ReportInput& input, JsonWriter* json) {
  json->key("verdict");
  json->begin_object();
  json->member("state", state_of(input));
  json->member("outcome", name_of(input.summary.outcome));
  json->member("line", render_verdict_line(input));
  json->member("exit_code", exit_code_of(input.info, input.summary));
  json->member("failure", ended_early(input.info) ? std::optional(failure_sentence(input.info))
                                                  : std::nullopt);
  json->member("basis", gates_basis(input.plan.facts));
  json->member("virtual_clock", input.plan.config.workload.clock == ClockKind::kVirtual);
  json->end_object();
}

// All gates have it on one axis.
void write_change(const GateResult& gate, JsonWriter* json) {
  const auto& interval = gate.interval;
  json->key("change");
  json->begin_object();
  json->member("estimate", relative_change(gate.theta));
  json->member("lower", relative_change(interval ? std::optional(interval->lower) : std::nullopt));
  json->member("upper", relative_change(interval ? std::optional(interval->upper) : std::nullopt));
  json->member("margin", gate.spec.delta);
  json->end_object();
}

void write_look(const GateLook& look, JsonWriter* json) {
  json->begin_object();
  json->member("units", look.units);
  json->member("blocks", look.blocks);
  json->member("estimate", relative_change(look.theta));
  json->member("lower", look.interval ? relative_change(look.interval->lower) : std::nullopt);
  json->member("upper", look.interval ? relative_change(look.interval->upper) : std::nullopt);
  json->end_object();
}

// Block by block, and what each look saw of them.
void write_blocks(const GateCourse& course, JsonWriter* json) {
  json->key("points");
  json->begin_array();
  for (const GatePoint& point : course.points) {
    json->begin_object();
    json->member("block", point.block);
    json->member("log_ratio", point.log_ratio);
    json->member("candidate_first", point.candidate_first);
    json->member("voided", point.voided);
    json->end_object();
  }
  json->end_array();
  json->key("looks");
  json->begin_array();
  for (const GateLook& look : course.looks) write_look(look, json);
  json->end_array();
}

void write_figures(const GateResult& gate, JsonWriter* json) {
  const GateFigures figures = figures_of(gate);
  json->member("unit", figures.unit);
  json->member("estimate", figures.estimate);
  json->member("lower", figures.interval ? std::optional(figures.interval->lower) : std::nullopt);
  json->member("upper", figures.interval ? std::optional(figures.interval->upper) : std::nullopt);
  json->member("margin", figures.margin);
  json->member("minimum_detectable", gate.minimum_detectable);
  json->member("closed_at", gate.look);
  write_change(gate, json);
}

void write_gate(const GateText& text, const GateResult& gate, const GateCourse* course,
                JsonWriter* json) {
  json->begin_object();
  json->member("name", text.name);
  json->member("word", text.outcome);
  json->member("outcome", name_of(gate.outcome));
  json->key("said");
  json->begin_object();
  json->member("estimate", text.estimate);
  json->member("interval", text.interval);
  json->member("margin", text.margin);
  json->member("scope", text.scope);
  json->end_object();
  json->key("sentences");
  json->begin_array();
  for (const std::string& sentence : text.sentences()) json->value(sentence);
  json->end_array();
  write_figures(gate, json);
  write_blocks(course == nullptr ? GateCourse{} : *course, json);
  json->end_object();
}

}  // namespace

void write_verdict(const ReportInput& input, JsonWriter* json) {
  json->member("name", input.plan.config.name);
  json->member("question", input.plan.config.question);
  write_headline(input, json);
  json->key("gates");
  json->begin_array();
  const std::vector<GateText> texts = gate_texts(input);
  const std::vector<const GateResult*> gates = worst_first(input.summary);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const auto place = static_cast<std::size_t>(gates[i] - input.summary.gates.data());
    const auto& courses = input.summary.steps_over_time.gates;
    write_gate(texts[i], *gates[i], place < courses.size() ? &courses[place] : nullptr, json);
  }
  json->end_array();
  write_facts("scenario", scenario(input), json);
  write_facts("fingerprint",
              {input.info.environment.facts.begin(), input.info.environment.facts.end()}, json);
}

}  // namespace traceml
