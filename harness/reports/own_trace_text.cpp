#include "harness/reports/own_trace_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/reports/figures.h"
#include "harness/reports/text.h"
#include "harness/reports/trace_rows.h"

namespace traceml {
namespace {

double share(Nanos part, Nanos whole) {
  return whole.count() == 0
             ? 0
             : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string off_by(Nanos ours, Nanos events) {
  return events.count() == 0 ? kNull : signed_percent(share(ours, events) - 1, 2) + " %";
}

std::string cost_words(const TraceReport& report) {
  const OwnTraceFigures& own = *report.own;
  std::string words = trace_ms(*own.step) + " a step traced";
  if (!own.ratio) return words + "; the step without tracing is not known here";
  words +=
      fmt::format(" against {} of {} (wall per step, host clock): {:.3f} times",
                  ms(report.options.run->bare_step, 3), report.options.run->bare_arm, *own.ratio);
  if (*own.ratio > kDistortingRatio) {
    words += "; beyond 1.1 all that follows are shares of the traced steps alone";
  }
  return words;
}

std::string attributed_words(const OwnTraceFigures& own) {
  const Nanos rest = own.kernels - own.attributed;
  std::string words = fmt::format(
      "{} of {} of kernels belong to a phase, by their launch; {} do not",
      percent(share(own.attributed, own.kernels), 2), trace_ms(own.kernels), trace_ms(rest));
  if (own.graphs && own.attributed < own.kernels / 2) {
    words += ": nodes of a captured graph are not attributable, for one call launches them all";
  } else if (own.graphs) {
    words += "; nodes of the captured graph by their number in it";
  }
  return words;
}

std::string compute_words(const TraceReport& report) {
  const OwnTraceFigures& own = *report.own;
  std::string words = fmt::format(
      "forward through optimizer: {} a step from the first start to the last end, without exchange "
      "between two of them, {} of it in work and gaps below {}",
      trace_ms(own.compute_span / own.steps),
      percent(share(own.compute_explained, own.compute_span), 2), trace_ms(kRules.long_gap));
  if (own.compute_events) {
    words += fmt::format("; the event clock's: {} ({})", trace_ms(*own.compute_events / own.steps),
                         off_by(own.compute_span, *own.compute_events));
  }
  return words;
}

std::string collected_words(const OwnTraceFacts& facts) {
  std::string words = fmt::format("by {}: asked for {}", facts.collector, facts.asked);
  words += facts.absent.empty() ? "; all were seen" : "; never seen: " + facts.absent;
  words += fmt::format("; {} dropped, {} without times, {} before their launch",
                       grouped(facts.dropped_records), grouped(facts.without_times),
                       grouped(facts.before_launch));
  if (facts.full_buffers > 0) {
    words += fmt::format("; {} {} with {:.2f} MB", facts.full_buffers,
                         facts.full_buffers == 1 ? "buffer" : "buffers",
                         static_cast<double>(facts.buffer_bytes) / 1e6);
  }
  return words + fmt::format("; clocks apart by {} ns at the end, read to {} ns",
                             facts.clock_drift_ns, facts.clock_error_ns);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> own_trace_facts(const TraceReport& report) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (!report.own) return facts;
  const OwnTraceFigures& own = *report.own;
  if (own.step) facts.emplace_back("cost", cost_words(report));
  facts.emplace_back(
      "traced", fmt::format("{} steps of {} after all measured ones, from step {} of the traced "
                            "window on, cycle {}; never judged",
                            own.steps, own.facts.arm, own.facts.first_step, own.facts.cycle));
  const auto& run = report.options.run;
  if (run && !run->arithmetic.empty()) facts.emplace_back("mfu", run->arithmetic);
  if (own.facts.collector.empty()) return facts;
  facts.emplace_back("collected", collected_words(own.facts));
  if (own.kernels > Nanos{0}) facts.emplace_back("phases", attributed_words(own));
  if (own.steps > 0 && own.compute_span > Nanos{0}) {
    facts.emplace_back("compute", compute_words(report));
  }
  return facts;
}

std::optional<Table> phase_check_table(const TraceReport& report) {
  if (!report.own) return std::nullopt;
  const OwnTraceFigures& own = *report.own;
  const bool any = std::any_of(own.phases.begin(), own.phases.end(),
                               [](const PhaseCheck& one) { return one.span > Nanos{0}; });
  if (!any || own.steps == 0) return std::nullopt;
  Table table;
  table.title = "Phases against the event clock";
  table.caption =
      "ms a step, device clock; span: of the work launched from within the phase, first start to "
      "last end; kernels: their sum; events: between the phase's events on the same steps";
  table.columns = {{"phase", true, 0, true}, {"span"}, {"kernels"}, {"events"}, {"span to events"}};
  for (const PhaseCheck& phase : own.phases) {
    const bool launched = phase.span > Nanos{0};
    table.rows.push_back({phase.phase, launched ? bare_trace_ms(phase.span / own.steps) : kNull,
                          launched ? bare_trace_ms(phase.kernels / own.steps) : kNull,
                          phase.events ? bare_trace_ms(*phase.events / own.steps) : kNull,
                          launched && phase.events ? off_by(phase.span, *phase.events) : kNull});
  }
  return table;
}

}  // namespace traceml
