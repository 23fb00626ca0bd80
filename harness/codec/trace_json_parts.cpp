#include "harness/codec/trace_json_parts.h"

#include "harness/codec/json_text.h"
#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

template <class Item, class Make>
Json list_of(const std::vector<Item>& items, Make make) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(make(item));
  return list;
}

Json quarters_of(const LaunchLag& lag) {
  Json quarters = Json::array();
  for (const auto& quarter : lag.quarters) quarters.push_back(json_nanos(quarter));
  return quarters;
}

Json json_of(const LaunchLag& lag) {
  return {{"state", name_of(lag.state)},
          {"kernels", lag.kernels},
          {"from_call_begin_p50_ns", lag.from_begin_p50.count()},
          {"from_call_end_p5_ns", lag.from_end_p5.count()},
          {"from_call_end_p50_ns", lag.from_end_p50.count()},
          {"from_call_end_p95_ns", lag.from_end_p95.count()},
          {"prompt", lag.prompt},
          {"blocked", lag.blocked},
          {"calls_ns", lag.calls.count()},
          {"from_call_end_p50_by_quarter_ns", quarters_of(lag)}};
}

Json json_of(const BlockedCalls& blocked) {
  return {{"count", blocked.count},
          {"total_ns", blocked.total.count()},
          {"places", list_of(blocked.places, [](const BlockedCall& call) -> Json {
             return {{"call", call.name},
                     {"thread", call.thread},
                     {"phase", json_text_or_null(call.where.phase)},
                     {"operator", json_text_or_null(call.where.operation)},
                     {"count", call.count},
                     {"total_ns", call.total.count()},
                     {"longest_start_ns", call.longest.begin.count()},
                     {"longest_ns", (call.longest.end - call.longest.begin).count()},
                     {"other_threads", call.others}};
           })}};
}

}  // namespace

Json json_nanos(std::optional<Nanos> time) {
  return time ? Json(time->count()) : Json(nullptr);
}

Json json_text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

void add_work_parts(const TraceReport& report, Json* json) {
  (*json)["steps"] = list_of(report.steps, [](const StepTotal& step) -> Json {
    return {{"step", step.name},
            {"host_ns", step.host.count()},
            {"kernels_ns", step.kernels.count()},
            {"copies_ns", step.copies.count()},
            {"device_events", step.work}};
  });
  (*json)["phases"] = list_of(report.phases, [](const PhaseTotal& phase) -> Json {
    return {{"phase", phase.name},
            {"ranges", phase.count},
            {"host_ns", phase.host.count()},
            {"device_span_ns", phase.device_span.count()},
            {"device_work_ns", phase.device_work.count()}};
  });
  (*json)["kernels"] = list_of(report.kernels, [](const KernelTotal& kernel) -> Json {
    return {{"kernel", kernel.name},
            {"count", kernel.count},
            {"total_ns", kernel.total.count()},
            {"alone_ns", kernel.alone.count()},
            {"longest_ns", kernel.longest.count()}};
  });
  (*json)["median_kernel_ns"] = json_nanos(report.median_kernel);
  (*json)["copies"] = list_of(report.copies, [](const CopyTotal& copy) -> Json {
    return {{"copy", copy.name},
            {"count", copy.count},
            {"bytes", copy.without_bytes > 0 ? Json(nullptr) : Json(copy.bytes)},
            {"total_ns", copy.total.count()},
            {"gb_per_s", json_number(copy.gb_per_s())}};
  });
  (*json)["launch_lag"] = report.lag_of_launches ? json_of(*report.lag_of_launches) : Json(nullptr);
  (*json)["waiting_calls"] = list_of(report.waiting, [](const WaitingCalls& calls) -> Json {
    return {{"call", calls.call},
            {"phase", json_text_or_null(calls.phase)},
            {"operator", json_text_or_null(calls.operation)},
            {"count", calls.count},
            {"in_steps", calls.in_steps},
            {"total_ns", calls.total.count()},
            {"longest_ns", calls.longest.count()}};
  });
  (*json)["blocked_calls"] = json_of(report.blocked);
  add_host_parts(report, json);
}

Json json_findings(const std::vector<TraceFinding>& findings) {
  return list_of(findings, [](const TraceFinding& finding) -> Json {
    return {{"cause", finding.cause},
            {"share_of_span", json_number(finding.share)},
            {"observation", finding.observation},
            {"hypothesis", finding.hypothesis},
            {"next_check", finding.next_check}};
  });
}

Json json_ranks(const RankTraces& ranks) {
  Json json;
  json["clocks"] = list_of(ranks.clocks, [](const RankClock& clock) -> Json {
    return {{"rank", clock.rank},
            {"offset_ns", clock.offset.count()},
            {"error_ns", json_nanos(clock.error)}};
  });
  json["paired"] = static_cast<std::int64_t>(ranks.pairs.size());
  json["unmatched"] = list_of(ranks.unmatched, [](const UnmatchedCollectives& one) -> Json {
    return {{"rank", one.rank}, {"operation", one.operation}, {"count", one.count}};
  });
  json["ranks"] = list_of(ranks.ranks, [](const RankWait& rank) -> Json {
    return {{"rank", rank.rank},
            {"wait_ns", rank.wait.count()},
            {"caused_ns", rank.caused.count()},
            {"last", rank.last}};
  });
  json["operations"] = list_of(ranks.operations, [](const OperationFigures& one) -> Json {
    return {{"operation", one.operation},
            {"bytes", one.bytes ? Json(*one.bytes) : Json(nullptr)},
            {"ranks", one.ranks},
            {"count", one.count},
            {"wire_ns", one.wire.count()},
            {"start_skew_ns", one.start_skew.count()},
            {"end_skew_ns", one.end_skew.count()},
            {"bus_gb_per_s", json_number(one.bus_gb_per_s)}};
  });
  json["remarks"] = ranks.remarks;
  json["findings"] = json_findings(ranks.findings);
  return json;
}

Json json_against(const TraceComparison& against) {
  Json json;
  json["file"] = path_without_folders(against.before_file);
  json["steps_before"] = against.steps_before;
  json["steps_after"] = against.steps_after;
  json["empty_steps_before"] = against.empty_before;
  json["empty_steps_after"] = against.empty_after;
  const auto mover = [](const Mover& one) -> Json {
    return {{"name", one.name},
            {"shape", json_text_or_null(one.shape)},
            {"before_ns", json_number(one.before_ns)},
            {"after_ns", json_number(one.after_ns)},
            {"change_ns", json_number(one.change_ns())},
            {"noise_ns", json_number(one.noise_ns)},
            {"count_before", one.count_before},
            {"count_after", one.count_after},
            {"moved", one.moved}};
  };
  json["totals"] = list_of(against.totals, mover);
  json["kernels"] = list_of(against.kernels, mover);
  json["remarks"] = against.remarks;
  return json;
}

}  // namespace traceml
