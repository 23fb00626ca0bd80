// json_own() of trace_json_parts.h.

#include "harness/codec/json_text.h"
#include "harness/codec/own_trace_facts.h"
#include "harness/codec/trace_json_parts.h"

namespace traceml {

using Json = nlohmann::ordered_json;

Json json_own(const TraceReport& report) {
  if (!report.own) return nullptr;
  const OwnTraceFigures& own = *report.own;
  Json json;
  for (const auto& [key, text] : own_texts(own.facts)) json[key] = text;
  for (const auto& [key, number] : own_numbers(own.facts)) json[key] = number;
  json["steps"] = own.steps;
  json["step_ns"] = json_nanos(own.step);
  const auto& run = report.options.run;
  json["bare_step_ms"] = json_number(run ? run->bare_step : std::nullopt);
  json["bare_arm"] = json_text_or_null(run ? run->bare_arm : "");
  json["ratio"] = json_number(own.ratio);
  json["kernels_ns"] = own.kernels.count();
  json["attributed_ns"] = own.attributed.count();
  json["compute_span_ns"] = own.compute_span.count();
  json["compute_explained_ns"] = own.compute_explained.count();
  json["compute_events_ns"] = json_nanos(own.compute_events);
  json["phases"] = Json::array();
  for (const PhaseCheck& phase : own.phases) {
    json["phases"].push_back({{"phase", phase.phase},
                              {"span_ns", phase.span.count()},
                              {"kernels_ns", phase.kernels.count()},
                              {"events_ns", json_nanos(phase.events)}});
  }
  return json;
}

}  // namespace traceml
