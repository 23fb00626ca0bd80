#include "harness/reports/trace_head.h"

#include <fmt/format.h>

#include "harness/codec/shareable_text.h"
#include "harness/reports/figures.h"
#include "harness/reports/own_trace_text.h"
#include "harness/reports/text.h"
#include "harness/reports/trace_rows.h"
#include "harness/reports/trace_text.h"

namespace traceml {
namespace {

std::string count_of(std::int64_t count, const std::string& one) {
  return grouped(count) + " " + one + (count == 1 ? "" : "s");
}

std::string selection_words(const TraceReport& report) {
  const std::string work = fmt::format("{} of {} device events", grouped(report.selected_work),
                                       grouped(report.device_events));
  switch (report.selection) {
    case SelectionKind::kWhole:
      return fmt::format("whole: {}", work);
    case SelectionKind::kHta:
      return fmt::format("hta: {}, launched before the last of {} steps began", work,
                         report.all_steps);
    case SelectionKind::kSteps:
      break;
  }
  if (report.device_events == 0) {
    return fmt::format("steps: {}", count_of(report.all_steps, "step"));
  }
  return fmt::format(
      "steps: {}, launched from within {}; the device ran {} past the last one's end", work,
      report.all_steps == 1 ? "the one step" : fmt::format("the {} steps", report.all_steps),
      trace_ms(report.lag));
}

std::string trace_words(const TraceReport& report) {
  std::string who = path_without_folders(report.file);
  if (report.rank) {
    who += fmt::format(", rank {}", *report.rank);
    if (report.world_size) who += fmt::format(" of {}", *report.world_size);
  }
  const auto devices = static_cast<std::int64_t>(report.devices.size());
  return fmt::format("{}; {}: {} on {}, {} on {}", who, count_of(report.events, "event"),
                     grouped(report.host_events), count_of(report.threads, "host thread"),
                     grouped(report.device_events), count_of(devices, "device"));
}

}  // namespace

std::string idle_words(const TraceReport& report) {
  switch (report.trust.idle) {
    case IdleTrust::kNumber:
      return "idle is a number";
    case IdleTrust::kRange:
      return "idle is a range";
    case IdleTrust::kRefused:
      break;
  }
  return "no idle is given";
}

std::string found_words(const std::vector<TraceFinding>& findings) {
  std::vector<std::string> names;
  for (const TraceFinding& finding : findings) {
    names.push_back(finding.cause);
    if (finding.share > 0) names.back() += " " + percent(finding.share, 1);
  }
  return joined(names, ", ");
}

TraceHead trace_head(const TraceReport& report) {
  TraceHead head;
  head.own = own_trace_facts(report);
  head.trace = trace_words(report);
  head.devices = report.listed_devices;
  head.selected = selection_words(report);
  head.trust = idle_words(report);
  if (report.device_events > 0) {
    head.trust += fmt::format("; {} of device work has its launch recorded",
                              percent(report.trust.launch_coverage(), 1));
  }
  head.remarks = report.trust.remarks;
  head.found = found_words(report.findings);
  return head;
}

std::string nothing_found(const TraceReport& report) {
  if (report.devices.empty()) return "none: of a device that is not in the trace nothing is said.";
  if (report.trust.idle == IdleTrust::kRefused || !report.trust.causes) {
    return "none; causes of idle are not looked for in a trace that lost so much.";
  }
  return kNothingFound;
}

}  // namespace traceml
