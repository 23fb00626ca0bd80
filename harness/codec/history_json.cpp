#include <cmath>

#include "harness/codec/json_text.h"
#include "harness/codec/past_report.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

Json changes_json(const std::vector<FieldChange>& changes) {
  Json list = Json::array();
  for (const FieldChange& change : changes) {
    list.push_back({{"field", change.field}, {"from", change.from}, {"to", change.to}});
  }
  return list;
}

Json runs_json(const RunSeries& series) {
  Json list = Json::array();
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    const PastReport& run = series.runs[i];
    list.push_back({{"run", i + 1},
                    {"folder", run.folder},
                    {"created_utc", run.created_utc},
                    {"exit_code", run.exit_code},
                    {"finished", run.finished},
                    {"fingerprint_changes", changes_json(series.changes[i])}});
  }
  return list;
}

Json point_json(const SeriesPoint& point) {
  const PastGate& gate = point.gate;
  const auto bound = [&](double Interval::*end) {
    return gate.interval ? json_number((*gate.interval).*end) : Json(nullptr);
  };
  return {{"run", point.run + 1},
          {"outcome", name_of(gate.outcome)},
          {"reasons", gate.reasons},
          {"estimate", json_number(gate.estimate)},
          {"lower", bound(&Interval::lower)},
          {"upper", bound(&Interval::upper)},
          {"margin", json_number(gate.margin)},
          {"theta", json_number(gate.theta)},
          {"not_counted", point.not_counted.empty() ? Json(nullptr) : Json(point.not_counted)}};
}

Json creep_json(const std::optional<Creep>& creep) {
  if (!creep) return nullptr;
  return {{"proven", creep->proven},
          {"runs", creep->runs},
          {"rises", creep->rises},
          {"p", json_number(creep->p)},
          {"level", json_number(creep->level)},
          {"slope", json_number(std::expm1(creep->slope))},
          {"slope_90",
           {{"lower", json_number(std::expm1(creep->slope_90.lower))},
            {"upper", json_number(std::expm1(creep->slope_90.upper))}}},
          {"since_anchor", json_number(std::expm1(creep->total()))}};
}

Json series_json(const RunSeries& series) {
  Json gates = Json::array();
  for (const GateSeries& gate : series.gates) {
    Json points = Json::array();
    for (const SeriesPoint& point : gate.points) points.push_back(point_json(point));
    const bool fraction = gate.points.back().gate.fraction;
    gates.push_back({{"name", gate.name},
                     {"unit", fraction ? "fraction" : "relative"},
                     {"runs", std::move(points)},
                     {"creep", creep_json(gate.creep)}});
  }
  return {{"config", series.runs.front().config},
          {"config_hash", series.runs.front().config_hash},
          {"other_settings", changes_json(series.other_settings)},
          {"anchor", series.anchor + 1},
          {"runs", runs_json(series)},
          {"gates", std::move(gates)}};
}

}  // namespace

std::string write_history_json(const std::vector<RunSeries>& history, const LeftOut& left_out) {
  Json series = Json::array();
  for (const RunSeries& one : history) series.push_back(series_json(one));
  Json out = Json::array();
  for (const auto& [folder, why] : left_out) out.push_back({{"folder", folder}, {"why", why}});
  return json_text({{"schema_version", "1.0"},
                    {"tool", "traceml-bench history"},
                    {"series", std::move(series)},
                    {"left_out", std::move(out)}});
}

}  // namespace traceml
