#include "harness/codec/trace_json.h"

#include <nlohmann/json.hpp>

#include "harness/codec/json_text.h"
#include "harness/codec/shareable_text.h"
#include "harness/codec/trace_json_parts.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const TimelineTrust& trust) {
  return {{"idle", name_of(trust.idle)},
          {"remarks", trust.remarks},
          {"device_events", trust.device_work},
          {"without_launch", trust.without_launch},
          {"launches", trust.launches},
          {"launches_without_device_work", trust.launches_without_work},
          {"causes", trust.causes}};
}

// Idle time is null where it is refused.
Json json_of(const DeviceTime& time, bool refused) {
  Json classes = Json::array();
  for (const IdleClass& one : time.idle_classes) {
    classes.push_back({{"gaps", one.gaps}, {"total_ns", one.total.count()}});
  }
  Json streams = Json::array();
  for (const StreamWaits& one : time.streams) {
    streams.push_back({{"stream", one.stream},
                       {"events", one.events},
                       {"busy_ns", one.busy.count()},
                       {"host_wait_ns", one.host_wait.count()},
                       {"kernel_wait_ns", one.kernel_wait.count()},
                       {"other_ns", one.other.count()}});
  }
  return {{"start_ns", time.extent.begin.count()},
          {"span_ns", time.span().count()},
          {"busy_ns", time.busy.count()},
          {"idle_ns", refused ? Json(nullptr) : Json(time.idle.count())},
          {"compute_ns", time.compute.count()},
          {"communication_ns", time.communication.count()},
          {"copies_ns", time.copies.count()},
          {"exposed_communication_ns", time.exposed_communication.count()},
          {"exposed_copies_ns", time.exposed_copies.count()},
          {"overlap", json_number(time.overlap)},
          {"idle_by_length", refused ? Json(nullptr) : classes},
          {"streams", streams}};
}

Json json_of(const LongGap& gap) {
  return {{"begin_ns", gap.when.begin.count()},
          {"length_ns", (gap.when.end - gap.when.begin).count()},
          {"cause", name_of(gap.cause)},
          {"before", gap.before},
          {"after", gap.after},
          {"launch", json_text_or_null(gap.launch)},
          {"launched_after_begin_ns", json_nanos(gap.launched)},
          {"thread", json_text_or_null(gap.thread)},
          {"phase", json_text_or_null(gap.where.phase)},
          {"operator", json_text_or_null(gap.where.operation)},
          {"call", json_text_or_null(gap.where.call)},
          {"frame", json_text_or_null(gap.where.frame)},
          {"silent_ns", gap.where.silent.count()},
          {"other_threads", gap.others}};
}

Json json_of(const DeviceReport& device, const TimelineTrust& trust) {
  Json causes = Json::array();
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    causes.push_back({{"cause", name_of(static_cast<IdleCause>(i))},
                      {"total_ns", device.causes[i].total.count()},
                      {"gaps", device.causes[i].gaps}});
  }
  Json gaps = Json::array();
  for (const LongGap& gap : device.gaps) gaps.push_back(json_of(gap));
  const bool refused = trust.idle == IdleTrust::kRefused;
  const auto other = [&](const std::optional<DeviceTime>& time) {
    return time ? json_of(*time, refused) : Json(nullptr);
  };
  return {{"device", device.time.device},
          {"selected", json_of(device.time, refused)},
          {"idle_least_ns", refused ? Json(nullptr) : Json(device.idle.begin.count())},
          {"idle_most_ns", refused ? Json(nullptr) : Json(device.idle.end.count())},
          {"whole", other(device.whole)},
          {"hta", other(device.hta)},
          {"idle_by_cause", refused || !trust.causes ? Json(nullptr) : causes},
          {"long_gaps", device.long_gaps},
          {"long_gaps_ns", device.long_total.count()},
          {"gaps", gaps},
          {"events_against_long_gaps", json_gap_events(device.gap_events)}};
}

Json json_of(const TraceReport& report) {
  Json devices = Json::array();
  for (const DeviceReport& device : report.devices) {
    devices.push_back(json_of(device, report.trust));
  }
  Json json = {{"file", path_without_folders(report.file)},
               {"rank", report.rank ? Json(*report.rank) : Json(nullptr)},
               {"world_size", report.world_size ? Json(*report.world_size) : Json(nullptr)},
               {"events", report.events},
               {"host_events", report.host_events},
               {"device_events", report.device_events},
               {"sync_events", report.sync_events},
               {"trust", json_of(report.trust)},
               {"selection", name_of(report.selection)},
               {"selected_events", report.selected_work},
               {"steps_in_file", report.all_steps},
               {"lag_ns", report.lag.count()},
               {"long_gap_ns", report.options.long_gap.count()},
               {"devices", devices}};
  add_work_parts(report, &json);
  json["own"] = json_own(report);
  json["findings"] = json_findings(report.findings);
  json["cannot_tell"] = report.cannot_tell;
  return json;
}

}  // namespace

std::string trace_json(const std::vector<TraceReport>& reports,
                       const std::optional<RankTraces>& ranks,
                       const std::optional<TraceComparison>& against) {
  Json traces = Json::array();
  for (const TraceReport& report : reports) traces.push_back(json_of(report));
  const Json json = {{"schema_version", 1},
                     {"traces", traces},
                     {"ranks", ranks ? json_ranks(*ranks) : Json(nullptr)},
                     {"against", against ? json_against(*against) : Json(nullptr)}};
  return json_text(json);
}

}  // namespace traceml
