#include "harness/reports/trace_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/reports/figures.h"
#include "harness/reports/own_trace_text.h"
#include "harness/reports/table.h"
#include "harness/reports/text.h"
#include "harness/reports/trace_head.h"
#include "harness/reports/trace_rows.h"
#include "harness/reports/trace_tables.h"

namespace traceml {
namespace {

constexpr int kGapNameColumns = 70;  // of a kernel's name in a sentence

// In us, from a millisecond in ms.
std::string in_us(Nanos time) {
  if (time >= std::chrono::milliseconds(1) || time <= std::chrono::milliseconds(-1)) {
    return trace_ms(time);
  }
  return fixed(static_cast<double>(time.count()) / 1e3, 1) + " us";
}

// A stranger's name in a sentence.
std::string named(const std::string& name) {
  return shortened(plain_text(name), kGapNameColumns);
}

class TracePage {
 public:
  TracePage(const TraceReport& report, int columns) : report_(report), columns_(columns) {}

  // The rest is in the JSON.
  std::string render_brief() {
    add_head();
    if (!report_.devices.empty()) add(device_time_table(report_));
    const bool causes = report_.trust.causes && report_.trust.idle != IdleTrust::kRefused;
    if (causes && !report_.devices.empty()) add(idle_cause_table(report_));
    return page_ + render_findings(report_.findings, {}, columns_, nothing_found(report_));
  }

  std::string render() {
    add_head();
    if (!report_.devices.empty()) {
      add(device_time_table(report_));
      if (report_.trust.idle != IdleTrust::kRefused) add_idle();
      add(stream_table(report_));
    }
    add(step_table(report_));
    add(phase_table(report_));
    add(phase_check_table(report_));
    if (!report_.kernels.empty()) add(kernel_table(report_));
    add(operator_table(report_));
    add(copy_table(report_));
    add_lag();
    add(waiting_table(report_));
    add_blocked();
    add(silence_table(report_));
    add(memory_table(report_));
    return page_ +
           render_findings(report_.findings, report_.cannot_tell, columns_, nothing_found(report_));
  }

 private:
  void line(std::string_view first, const std::string& text) {
    for (const std::string& one : wrapped(plain_text(text), first, columns_)) page_ += one + "\n";
  }

  void add(const Table& table) { page_ += draw_table(table, columns_) + "\n"; }
  void add(const std::optional<Table>& table) {
    if (table) add(*table);
  }

  void add_head() {
    const TraceHead head = trace_head(report_);
    for (const auto& [label, text] : head.own) line(fmt::format("{:<10}", label), text);
    line("trace     ", head.trace);
    if (head.devices) line("devices   ", *head.devices);
    line("selected  ", head.selected);
    line("trust     ", head.trust);
    for (const std::string& remark : head.remarks) line("        - ", remark);
    if (!head.found.empty()) line("found     ", head.found + " (of the span; more at the end)");
    page_ += "\n";
  }

  void add_idle() {
    add(idle_class_table(report_));
    if (report_.trust.causes) add(idle_cause_table(report_));
    for (const DeviceReport& device : report_.devices) add_gaps(device);
    add(gap_event_table(report_));
  }

  void add_gaps(const DeviceReport& device) {
    if (device.long_gaps == 0) return;
    line("", fmt::format(
                 "Gaps of device {} of at least {}: {} with {} together (device clock, from "
                 "its first work; the launching thread: host clock){}",
                 device.time.device, trace_ms(report_.options.long_gap), device.long_gaps,
                 trace_ms(device.long_total),
                 static_cast<std::int64_t>(device.gaps.size()) < device.long_gaps ? "; the longest:"
                                                                                  : ":"));
    for (const LongGap& gap : device.gaps) add_gap(gap);
    page_ += "\n";
  }

  void add_gap(const LongGap& gap) {
    line("  ", fmt::format("{} at {}: {}", trace_ms(gap.when.end - gap.when.begin),
                           trace_ms(gap.when.begin), name_of(gap.cause)));
    line("      ", fmt::format("from the end of {} to {}", named(gap.before), named(gap.after)));
    if (gap.launch.empty()) return line("      ", "its launch is not recorded");
    const bool late = *gap.launched >= Nanos{0};
    line("      ",
         fmt::format("launched by {} on the {}, {} {} the gap began", named(gap.launch), gap.thread,
                     in_us(late ? *gap.launched : -*gap.launched), late ? "after" : "before"));
    const std::string where = where_words(gap.where);
    if (!where.empty()) line("      ", "that thread: " + where);
    for (const std::string& other : gap.others) line("      ", "meanwhile " + named(other));
  }

  static std::string where_words(const Whereabouts& where) {
    std::vector<std::string> words;
    if (!where.phase.empty()) words.push_back("phase " + named(where.phase));
    if (!where.operation.empty()) words.push_back("operator " + named(where.operation));
    if (!where.frame.empty()) words.push_back("frame " + named(where.frame));
    if (!where.call.empty()) words.push_back("call " + named(where.call));
    if (where.silent >= kRules.silence) {
      const bool said = !where.silent_in.empty() && where.silent_in == where.phase;
      const std::string in = said ? "it" : named(where.silent_in);
      words.push_back(
          fmt::format("no event{} for {}", in.empty() ? "" : " in " + in, trace_ms(where.silent)));
    }
    return joined(words, ", ");
  }

  static std::string quarter_words(const LaunchLag& lag) {
    std::vector<std::string> words;
    for (const auto& quarter : lag.quarters) words.push_back(quarter ? in_us(*quarter) : kNull);
    const bool none = std::none_of(lag.quarters.begin(), lag.quarters.end(),
                                   [](const auto& quarter) { return quarter.has_value(); });
    return none ? "" : " p50 by quarter of the step: " + joined(words, ", ") + ".";
  }

  void add_lag() {
    if (!report_.lag_of_launches) return;
    const LaunchLag& lag = *report_.lag_of_launches;
    line("Launch lag: ",
         fmt::format("{}. From the end of the launch call (host clock) to the start of the kernel "
                     "(device clock): p5 {}, p50 {}, p95 {}; p50 from its begin {}; {} kernels, {} "
                     "of them within {}; {} of the calls took {} or more, all calls {}.{}",
                     name_of(lag.state), in_us(lag.from_end_p5), in_us(lag.from_end_p50),
                     in_us(lag.from_end_p95), in_us(lag.from_begin_p50), grouped(lag.kernels),
                     percent(lag.prompt, 1), in_us(kRules.prompt_start), percent(lag.blocked, 1),
                     in_us(kRules.blocked_launch), trace_ms(lag.calls), quarter_words(lag)));
    page_ += "\n";
  }

  void add_blocked() {
    const BlockedCalls& blocked = report_.blocked;
    if (blocked.count == 0) return;
    line("",
         fmt::format("CUDA calls of {} or more on threads that launch work: {} with {} together "
                     "(host clock)",
                     trace_ms(kRules.long_call), grouped(blocked.count), trace_ms(blocked.total)));
    for (const BlockedCall& call : blocked.places) {
      const std::string inside = where_words(call.where);
      line("  ", fmt::format("{} x {} on the {}: {}, longest {}{}", grouped(call.count),
                             named(call.name), call.thread, trace_ms(call.total),
                             trace_ms(call.longest.end - call.longest.begin),
                             inside.empty() ? "" : "; " + inside));
      for (const std::string& other : call.others) line("      ", "meanwhile " + named(other));
    }
    page_ += "\n";
  }

  const TraceReport& report_;
  int columns_;
  std::string page_;
};

}  // namespace

std::string render_findings(const std::vector<TraceFinding>& findings,
                            const std::vector<std::string>& cannot_tell, int columns,
                            const std::string& nothing_found) {
  std::string page;
  const auto line = [&](std::string_view first, const std::string& text) {
    for (const std::string& one : wrapped(plain_text(text), first, columns)) page += one + "\n";
  };
  if (findings.empty()) line("Findings: ", nothing_found);
  for (const TraceFinding& finding : findings) {
    line("Finding: ", finding.cause);
    line("  seen        ", finding.observation);
    line("  may be      ", finding.hypothesis);
    line("  next check  ", finding.next_check);
  }
  if (!cannot_tell.empty()) line("", "This cannot tell");
  for (const std::string& open : cannot_tell) line("  - ", open);
  return page;
}

std::string render_trace_brief(const TraceReport& report, const TerminalStyle& style) {
  return TracePage(report, std::max(style.columns, 80)).render_brief();
}

std::string render_trace(const TraceReport& report, const TerminalStyle& style) {
  return TracePage(report, std::max(style.columns, 80)).render();
}

}  // namespace traceml
