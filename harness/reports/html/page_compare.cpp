#include "harness/analysis/relative_change.h"
#include "harness/codec/shareable_text.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/html/page_data.h"

namespace traceml {
namespace {

void write_headline(const CompareInput& input, JsonWriter* json) {
  json->key("verdict");
  json->begin_object();
  json->member("state", name_of(input.comparison.outcome));
  json->member("line", render_compare_line(input));
  json->member("exit_code", exit_code_of(input.comparison));
  json->end_object();
}

// The one gate of a comparison, as the gates of a run are written.
void write_gate(const CompareInput& input, JsonWriter* json) {
  const RunSetComparison& comparison = input.comparison;
  const CompareText text = compare_text(input);
  const auto& interval = comparison.interval;
  const auto lower = interval ? relative_change(interval->lower) : std::nullopt;
  const auto upper = interval ? relative_change(interval->upper) : std::nullopt;
  json->begin_object();
  json->member("name", "candidate against baseline");
  json->member("word", word_of(comparison.outcome));
  json->member("outcome", name_of(comparison.outcome));
  json->key("said");
  json->begin_object();
  json->member("estimate", text.estimate);
  json->member("interval", text.interval);
  json->member("margin", text.margin);
  json->member("scope", text.scope);
  json->end_object();
  write_sentences("sentences", text.sentences, json);
  json->member("unit", "relative");
  json->member("estimate", relative_change(comparison.theta));
  json->member("lower", lower);
  json->member("upper", upper);
  json->member("margin", input.rule.delta);
  json->member("minimum_detectable", comparison.minimum_detectable);
  json->key("change");
  json->begin_object();
  json->member("estimate", relative_change(comparison.theta));
  json->member("lower", lower);
  json->member("upper", upper);
  json->member("margin", input.rule.delta);
  json->end_object();
  json->end_object();
}

void write_pairs(const RunSetComparison& comparison, JsonWriter* json) {
  json->key("pairs");
  json->begin_array();
  for (const RunPair& pair : comparison.pairs) {
    json->begin_object();
    json->member("baseline", path_without_folders(pair.baseline));
    json->member("candidate", path_without_folders(pair.candidate));
    json->member("baseline_ms", pair.baseline_ms);
    json->member("candidate_ms", pair.candidate_ms);
    json->member("baseline_mean_ms", pair.baseline_mean_ms);
    json->member("candidate_mean_ms", pair.candidate_mean_ms);
    json->member("log_ratio", pair.log_ratio);
    json->end_object();
  }
  json->end_array();
}

void write_phases(const RunSetComparison& comparison, JsonWriter* json) {
  json->member("phase_clock", comparison.phase_clock
                                  ? std::optional(name_of(*comparison.phase_clock))
                                  : std::nullopt);
  json->key("phases");
  json->begin_array();
  for (const PhaseChange& phase : comparison.phases) {
    json->begin_object();
    json->member("phase", phase.phase);
    json->member("baseline_ms", phase.baseline_ms);
    json->member("candidate_ms", phase.candidate_ms);
    json->end_object();
  }
  json->end_array();
}

}  // namespace

std::string compare_page_data(const CompareInput& input) {
  const RunSetComparison& comparison = input.comparison;
  JsonWriter json;
  json.begin_object();
  json.member("schema", "traceml-bench/page/1");
  json.member("kind", "compare");
  json.member("name", "compare");
  write_headline(input, &json);
  json.key("gates");
  json.begin_array();
  write_gate(input, &json);
  json.end_array();
  write_facts("facts", compare_text(input).facts, &json);
  json.member("figure", figure_words(comparison));
  write_pairs(comparison, &json);
  write_phases(comparison, &json);
  write_sentences("notes", comparison.notes, &json);
  json.end_object();
  return json.text();
}

}  // namespace traceml
