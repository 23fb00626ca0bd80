#include "harness/codec/shareable_text.h"
#include "harness/reports/html/page_data.h"

namespace traceml {
namespace {

void write_run(const PastReport& run, const std::vector<FieldChange>& changes, JsonWriter* json) {
  json->begin_object();
  json->member("began", minute_of(run.created_utc));
  json->member("folder", path_without_folders(run.folder));
  json->member("finished", run.finished);
  json->member("exit_code", run.exit_code);
  json->member("changed", changes_text(changes));
  json->end_object();
}

void write_point(const SeriesPoint& point, JsonWriter* json) {
  const auto& interval = point.gate.interval;
  json->begin_object();
  json->member("run", point.run);
  json->member("outcome", name_of(point.gate.outcome));
  json->member("reason", point.gate.reasons.empty() ? std::nullopt
                                                    : std::optional(point.gate.reasons.front()));
  json->member("not_counted", point.not_counted);
  json->member("estimate", point.gate.estimate);
  json->member("lower", interval ? std::optional(interval->lower) : std::nullopt);
  json->member("upper", interval ? std::optional(interval->upper) : std::nullopt);
  json->end_object();
}

void write_gate(const RunSeries& series, const GateSeries& gate, JsonWriter* json) {
  const PastGate& last = gate.points.back().gate;
  json->begin_object();
  json->member("name", gate.name);
  json->member("fraction", last.fraction);
  json->member("margin", last.margin);
  json->member("creeps", gate.creep ? std::optional(gate.creep->proven) : std::nullopt);
  json->member("creep", creep_sentence(series, gate));
  json->key("points");
  json->begin_array();
  for (const SeriesPoint& point : gate.points) write_point(point, json);
  json->end_array();
  json->end_object();
}

void write_series(const RunSeries& series, JsonWriter* json) {
  json->begin_object();
  json->member("config", series.runs.front().config);
  json->member("config_hash", series.runs.front().config_hash);
  json->member("other_settings", changes_text(series.other_settings));
  json->member("anchor", series.anchor);
  json->key("runs");
  json->begin_array();
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    write_run(series.runs[i], series.changes[i], json);
  }
  json->end_array();
  json->key("gates");
  json->begin_array();
  for (const GateSeries& gate : series.gates) write_gate(series, gate, json);
  json->end_array();
  json->end_object();
}

}  // namespace

std::string history_page_data(const std::vector<RunSeries>& history, const LeftOut& left_out) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "traceml-bench/page/1");
  json.member("kind", "history");
  json.member("name", "history");
  json.key("verdict");
  json.begin_object();
  json.member("state", any_creep(history) ? "fail" : "no_gates");
  json.member("line", history_line(history));
  json.end_object();
  json.key("series");
  json.begin_array();
  for (const RunSeries& series : history) write_series(series, &json);
  json.end_array();
  json.key("left_out");
  json.begin_array();
  for (const auto& [folder, why] : left_out) json.value(why);
  json.end_array();
  json.end_object();
  return json.text();
}

}  // namespace traceml
