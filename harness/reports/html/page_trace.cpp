#include <algorithm>

#include "harness/codec/shareable_text.h"
#include "harness/reports/html/page_data.h"
#include "harness/reports/own_trace_text.h"
#include "harness/reports/rank_trace_text.h"
#include "harness/reports/trace_head.h"
#include "harness/reports/trace_tables.h"

namespace traceml {
namespace {

// A page has room for longer lists than a terminal, and can be searched.
constexpr std::size_t kRows = 200;

void write_causes(const TraceReport& report, const DeviceReport& device, JsonWriter* json) {
  json->key("idle_by_cause");
  if (report.trust.idle == IdleTrust::kRefused || !report.trust.causes) return json->null();
  json->begin_array();
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    json->begin_object();
    json->member("cause", name_of(static_cast<IdleCause>(i)));
    json->member("total_ns", device.causes[i].total.count());
    json->member("gaps", device.causes[i].gaps);
    json->end_object();
  }
  json->end_array();
}

void write_device(const TraceReport& report, const DeviceReport& device, JsonWriter* json) {
  const DeviceTime& time = device.time;
  const bool refused = report.trust.idle == IdleTrust::kRefused;
  const auto unless_refused = [refused](Nanos idle) {
    return refused ? std::nullopt : std::optional(idle.count());
  };
  json->begin_object();
  json->member("device", time.device);
  json->member("span_ns", time.span().count());
  json->member("busy_ns", time.busy.count());
  json->member("compute_ns", time.compute.count());
  json->member("exposed_communication_ns", time.exposed_communication.count());
  json->member("exposed_copies_ns", time.exposed_copies.count());
  json->member("idle_ns", unless_refused(time.idle));
  json->member("idle_least_ns", unless_refused(device.idle.begin));
  json->member("idle_most_ns", unless_refused(device.idle.end));
  json->member("overlap", time.overlap);
  write_causes(report, device, json);
  json->end_object();
}

void write_findings(const std::vector<TraceFinding>& findings, JsonWriter* json) {
  json->key("findings");
  json->begin_array();
  for (const TraceFinding& finding : findings) {
    json->begin_object();
    json->member("cause", finding.cause);
    json->member("share_of_span", finding.share);
    json->member("observation", finding.observation);
    json->member("hypothesis", finding.hypothesis);
    json->member("next_check", finding.next_check);
    json->end_object();
  }
  json->end_array();
}

void write_tables(TraceReport report, JsonWriter* json) {
  report.options.most_rows = std::max(report.options.most_rows, kRows);
  const bool devices = !report.devices.empty();
  const bool idle = devices && report.trust.idle != IdleTrust::kRefused;
  const auto where = [](bool there, auto table, const TraceReport& of) {
    return there ? std::optional<Table>(table(of)) : std::nullopt;
  };
  json->key("tables");
  json->begin_object();
  write_table("times", where(devices, device_time_table, report), json);
  write_table("gap_events", where(idle, gap_event_table, report), json);
  write_table("idle_classes", where(idle, idle_class_table, report), json);
  write_table("streams", where(devices, stream_table, report), json);
  write_table("kernels", where(!report.kernels.empty(), kernel_table, report), json);
  write_table("operators", operator_table(report), json);
  write_table("copies", copy_table(report), json);
  write_table("steps", step_table(report), json);
  write_table("phases", phase_table(report), json);
  write_table("phase_checks", phase_check_table(report), json);
  write_table("waiting", waiting_table(report), json);
  write_table("silences", silence_table(report), json);
  write_table("memory", memory_table(report), json);
  json->end_object();
}

// What every trace has, however many there are.
void write_summary(const TraceReport& report, JsonWriter* json) {
  const TraceHead head = trace_head(report);
  json->member("rank", report.rank);
  json->member("file", path_without_folders(report.file));
  json->member("trust", name_of(report.trust.idle));
  json->member("trust_words", head.trust);
  json->member("found", head.found);
  json->key("devices");
  json->begin_array();
  for (const DeviceReport& device : report.devices) write_device(report, device, json);
  json->end_array();
}

void write_full(const TraceReport& report, const TraceLanes& lanes, JsonWriter* json) {
  const TraceHead head = trace_head(report);
  std::vector<std::pair<std::string, std::string>> facts = head.own;
  facts.emplace_back("trust", head.trust);
  facts.emplace_back("found",
                     head.found.empty() ? nothing_found(report) : head.found + " (of the span)");
  facts.emplace_back("trace", head.trace);
  if (head.devices) facts.emplace_back("devices", *head.devices);
  facts.emplace_back("selected", head.selected);
  json->begin_object();
  write_facts("facts", facts, json);
  write_sentences("remarks", head.remarks, json);
  json->member("long_gap_ns", report.options.long_gap.count());
  write_lanes(lanes, json);
  write_tables(report, json);
  write_findings(report.findings, json);
  json->member("nothing_found", nothing_found(report));
  write_sentences("cannot_tell", report.cannot_tell, json);
  json->end_object();
}

void write_traces(const TracePageInput& input, JsonWriter* json) {
  const std::vector<std::size_t> in_full = traces_in_full(input.reports);
  json->key("traces");
  json->begin_array();
  for (std::size_t i = 0; i < input.reports.size(); ++i) {
    json->begin_object();
    write_summary(input.reports[i], json);
    json->key("full");
    if (std::find(in_full.begin(), in_full.end(), i) == in_full.end()) {
      json->null();
    } else {
      write_full(input.reports[i], input.lanes[i], json);
    }
    json->end_object();
  }
  json->end_array();
}

void write_ranks(const std::optional<RankTraces>& ranks, JsonWriter* json) {
  json->key("ranks");
  if (!ranks) return json->null();
  json->begin_object();
  json->key("tables");
  json->begin_object();
  write_table("ranks", rank_wait_table(*ranks), json);
  if (!ranks->operations.empty()) write_table("collectives", collective_table(*ranks), json);
  json->end_object();
  write_sentences("remarks", ranks->remarks, json);
  write_findings(ranks->findings, json);
  json->end_object();
}

// In the terminal the column stands without a head; a button needs a name.
Table with_named_column(Table table) {
  for (Column& column : table.columns) {
    if (column.head.empty()) column.head = "beyond noise";
  }
  return table;
}

void write_against(const std::optional<TraceComparison>& against, JsonWriter* json) {
  json->key("against");
  if (!against) return json->null();
  json->begin_object();
  json->member("file", path_without_folders(against->before_file));
  json->key("tables");
  json->begin_object();
  write_table("totals", with_named_column(total_mover_table(*against)), json);
  write_table("movers", with_named_column(kernel_mover_table(*against, kRows)), json);
  json->end_object();
  write_sentences("remarks", against->remarks, json);
  json->end_object();
}

IdleTrust least_trust(const std::vector<TraceReport>& reports) {
  IdleTrust least = IdleTrust::kNumber;
  for (const TraceReport& report : reports) least = std::max(least, report.trust.idle);
  return least;
}

}  // namespace

void write_run_traces(const RunTraces* traces, JsonWriter* json) {
  json->key("trace");
  if (traces == nullptr) return json->null();
  json->begin_object();
  json->member("fault", traces->fault);
  write_traces({traces->reports, traces->lanes, traces->ranks, std::nullopt}, json);
  write_ranks(traces->ranks, json);
  json->end_object();
}

std::string trace_page_data(const TracePageInput& input) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "traceml-bench/page/1");
  json.member("kind", "trace");
  json.member("name", "explain");
  json.key("verdict");
  json.begin_object();
  json.member("state", name_of(least_trust(input.reports)));
  json.member("line", trace_line(input.reports));
  json.end_object();
  write_traces(input, &json);
  write_ranks(input.ranks, &json);
  write_against(input.against, &json);
  json.end_object();
  return json.text();
}

}  // namespace traceml
