// The tables of what the host did (trace_tables.h).

#include <fmt/format.h>

#include <algorithm>

#include "harness/reports/figures.h"
#include "harness/reports/trace_rows.h"
#include "harness/reports/trace_tables.h"

namespace traceml {
namespace {

std::string shape_of(const OperatorTotal& total) {
  if (total.shapes.empty()) return kNull;
  const std::size_t more = total.shapes.size() - 1;
  return total.shapes.front().shape + (more == 0 ? "" : fmt::format(" (+{})", more));
}

}  // namespace

std::optional<Table> operator_table(const TraceReport& report) {
  if (report.operators.empty()) return std::nullopt;
  Table table;
  table.title = "Operators";
  table.caption =
      "ms; host: in the operator, host clock; device: sums of the work launched from within it, "
      "device clock; self: without the operators inside it";
  table.columns = {{"operator", true, 0, true},
                   {"calls"},
                   {"host\nself"},
                   {"host\ntotal"},
                   {"device\nself"},
                   {"device\ntotal"},
                   {"commonest shapes", true, 1, true}};
  add_rows(report.operators, report.options.most_rows, "operators", &table,
           [&](const OperatorTotal& one) {
             return std::vector<std::string>{
                 one.name,
                 grouped(one.count),
                 bare_trace_ms(one.host_self),
                 bare_trace_ms(one.host_total),
                 report.devices.empty() ? kNull : bare_trace_ms(one.device_self),
                 report.devices.empty() ? kNull : bare_trace_ms(one.device_total),
                 shape_of(one)};
           });
  table.rest_in = "the JSON";
  drop_empty_columns(&table);
  return table;
}

std::optional<Table> silence_table(const TraceReport& report) {
  if (report.silences.empty()) return std::nullopt;
  Table table;
  table.title = "Silences of launching threads";
  table.caption = fmt::format(
      "ms, host clock; {} or more without any event inside the innermost range: hidden under "
      "device work, or exposed while the device was idle",
      ms(std::chrono::duration_cast<Millis>(kRules.silence), 0));
  table.columns = {
      {"inside", true, 0, true}, {"thread", true}, {"count"}, {"total"}, {"hidden"}, {"exposed"},
      {"longest", false, 1}};
  table.rest_in = "the JSON";
  add_rows(report.silences, report.options.most_rows, "places", &table, [](const HostSilence& one) {
    return std::vector<std::string>{one.inside.empty() ? kNull : one.inside,
                                    one.thread,
                                    grouped(one.count),
                                    bare_trace_ms(one.total),
                                    bare_trace_ms(one.hidden),
                                    bare_trace_ms(one.exposed),
                                    bare_trace_ms(one.longest)};
  });
  return table;
}

std::optional<Table> gap_event_table(const TraceReport& report) {
  Table table;
  table.title = "Host events against long gaps";
  table.caption = fmt::format(
      "host clock against device clock, any thread; hits: overlap a gap of {} or more before the "
      "launch that ended it; misses: overlap none; gaps: of the long ones, with such an event",
      ms(std::chrono::duration_cast<Millis>(report.options.long_gap), 0));
  table.columns = {{"device", true}, {"event", true}, {"events"}, {"hits"}, {"misses"}, {"gaps"}};
  for (const DeviceReport& device : report.devices) {
    if (device.long_gaps == 0) continue;
    for (const GapEvents& one : device.gap_events) {
      table.rows.push_back({device.time.device, one.kind, grouped(one.events), grouped(one.hits),
                            grouped(one.misses()),
                            fmt::format("{} of {}", one.gaps, device.long_gaps)});
    }
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

std::optional<Table> memory_table(const TraceReport& report) {
  if (report.memory.empty()) return std::nullopt;
  Table table;
  table.title = "Memory";
  table.caption =
      "MB = 10^6 bytes, peaks as the allocators' records tell; phases: the range that was open; a "
      "step: median change of what was allocated from one step's end to the next";
  table.columns = {{"memory", true},    {"phase", true, 0, true},
                   {"peak\nallocated"}, {"peak\nreserved"},
                   {"a step"},          {"steps that\nrose"}};
  for (const MemoryUse& use : report.memory) {
    const bool steps = use.bytes_per_step.has_value();
    const std::int64_t reserved = use.peak_reserved_bytes.value_or(0);
    table.rows.push_back(
        {use.memory == "host" ? use.memory : "device " + use.memory, "all",
         bare_mb(static_cast<double>(use.peak_allocated_bytes)),
         reserved > 0 ? bare_mb(static_cast<double>(reserved)) : kNull,
         steps ? bare_mb(*use.bytes_per_step) : kNull,
         steps ? fmt::format("{} of {}", use.rises, use.step_end_bytes.size() - 1) : kNull});
    add_rows(use.phases, report.options.most_rows, "phases", &table, [](const PhasePeak& phase) {
      return std::vector<std::string>{"",
                                      phase.phase.empty() ? kNull : phase.phase,
                                      bare_mb(static_cast<double>(phase.allocated_bytes)),
                                      kNull,
                                      kNull,
                                      kNull};
    });
  }
  return table;
}

}  // namespace traceml
