// What the host did (trace_json_parts.h).

#include "harness/codec/json_text.h"
#include "harness/codec/trace_json_parts.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const OperatorTotal& total) {
  Json shapes = Json::array();
  for (const OperatorShape& one : total.shapes) {
    shapes.push_back({{"shapes", one.shape}, {"count", one.count}});
  }
  return {{"operator", total.name},
          {"count", total.count},
          {"host_self_ns", total.host_self.count()},
          {"host_total_ns", total.host_total.count()},
          {"device_self_ns", total.device_self.count()},
          {"device_total_ns", total.device_total.count()},
          {"inputs", shapes}};
}

Json json_of(const HostSilence& silence) {
  return {{"thread", silence.thread},
          {"inside", json_text_or_null(silence.inside)},
          {"count", silence.count},
          {"total_ns", silence.total.count()},
          {"hidden_ns", silence.hidden.count()},
          {"exposed_ns", silence.exposed.count()},
          {"longest_ns", silence.longest.count()}};
}

Json json_of(const MemoryUse& use) {
  Json phases = Json::array();
  for (const PhasePeak& one : use.phases) {
    phases.push_back(
        {{"phase", json_text_or_null(one.phase)}, {"peak_allocated_bytes", one.allocated_bytes}});
  }
  return {
      {"memory", use.memory},
      {"records", use.records},
      {"peak_allocated_bytes", use.peak_allocated_bytes},
      {"peak_reserved_bytes", use.peak_reserved_bytes ? Json(*use.peak_reserved_bytes) : Json()},
      {"phases", phases},
      {"step_end_bytes", use.step_end_bytes},
      {"bytes_per_step", json_number(use.bytes_per_step)},
      {"rises", use.rises}};
}

template <class Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

void add_host_parts(const TraceReport& report, Json* json) {
  (*json)["operators"] = list_of(report.operators);
  (*json)["silences"] = list_of(report.silences);
  (*json)["memory"] = list_of(report.memory);
}

Json json_gap_events(const std::vector<GapEvents>& events) {
  Json list = Json::array();
  for (const GapEvents& one : events) {
    list.push_back({{"events_of", one.kind},
                    {"events", one.events},
                    {"hits", one.hits},
                    {"misses", one.misses()},
                    {"gaps", one.gaps}});
  }
  return list;
}

}  // namespace traceml
