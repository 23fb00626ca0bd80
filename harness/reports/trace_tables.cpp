#include "harness/reports/trace_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/reports/figures.h"
#include "harness/reports/trace_rows.h"

namespace traceml {
namespace {

constexpr const char* kRefused = "refused";

std::string share(Nanos part, Nanos whole) {
  if (whole <= Nanos{0}) return kNull;
  return percent(static_cast<double>(part.count()) / static_cast<double>(whole.count()), 2);
}

// `idle` as far as it is known; kRefused where it is not.
std::vector<std::string> time_row(const std::string& selection, const DeviceTime& time,
                                  const std::string& idle) {
  return {time.device + ", " + selection,
          bare_trace_ms(time.span()),
          bare_trace_ms(time.busy),
          bare_trace_ms(time.compute),
          bare_trace_ms(time.exposed_communication),
          bare_trace_ms(time.exposed_copies),
          idle,
          idle == kRefused ? kNull : share(time.idle, time.span()),
          percent(time.overlap, 1)};
}

std::string idle_text(const TraceReport& report, const DeviceReport& device) {
  switch (report.trust.idle) {
    case IdleTrust::kNumber:
      break;
    case IdleTrust::kRefused:
      return kRefused;
    case IdleTrust::kRange:
      if (device.idle.begin == Nanos{0}) return "<= " + bare_trace_ms(device.idle.end);
      return fmt::format("{}-{}", bare_trace_ms(device.idle.begin), bare_trace_ms(device.idle.end));
  }
  return bare_trace_ms(device.time.idle);
}

std::string place_of(const WaitingCalls& calls) {
  if (calls.phase.empty() && calls.operation.empty()) return "-";
  if (calls.phase.empty() || calls.operation.empty()) return calls.phase + calls.operation;
  return calls.phase + " > " + calls.operation;
}

// Where the trace has no device, its figures are not zero but unknown.
std::string device_ms(const TraceReport& report, Nanos time) {
  return report.devices.empty() ? kNull : bare_trace_ms(time);
}

std::string spread_of(const std::vector<StepTotal>& steps) {
  std::vector<Nanos> host;
  const StepTotal* longest = &steps.front();
  for (const StepTotal& step : steps) {
    host.push_back(step.host);
    if (step.host > longest->host) longest = &step;
  }
  std::sort(host.begin(), host.end());
  return fmt::format("host, all {} steps: median {}, least {}, most {} ({})", steps.size(),
                     bare_trace_ms(host[(host.size() - 1) / 2]), bare_trace_ms(host.front()),
                     bare_trace_ms(host.back()), longest->name);
}

}  // namespace

Table device_time_table(const TraceReport& report) {
  Table table;
  table.title = "Device time";
  table.caption =
      "ms, device clock, from the first selected work to the last; compute + exposed "
      "communication + exposed copies + idle = span";
  table.columns = {
      {"device,\nselection", true}, {"\nspan"}, {"\nbusy"},       {"\ncompute"}, {"exposed\ncomm."},
      {"exposed\ncopies"},          {"\nidle"}, {"of the\nspan"}, {"\noverlap"}};
  for (const DeviceReport& device : report.devices) {
    table.rows.push_back(
        time_row(name_of(report.selection), device.time, idle_text(report, device)));
    const auto add_other = [&](const char* selection, const std::optional<DeviceTime>& time) {
      if (!time) return;
      const bool refused = report.trust.idle == IdleTrust::kRefused;
      table.rows.push_back(
          time_row(selection, *time, refused ? kRefused : bare_trace_ms(time->idle)));
    };
    add_other("whole", device.whole);
    add_other("hta", device.hta);
  }
  table.remarks = {
      "overlap: communication under compute, of all communication. HolisticTraceAnalysis calls the "
      "span kernel_time and the two exposed parts non_compute_time, and looks at `hta`; TraceLens "
      "calls them total_time, exposed_comm_time, exposed_memcpy_time, and looks at `whole`."};
  return table;
}

Table idle_class_table(const TraceReport& report) {
  constexpr std::array<const char*, kIdleBorders.size() + 1> kNames = {
      "below 10 us", "10 to 100 us", "100 us to 1 ms", "1 ms or more"};
  Table table;
  table.title = "Idle by length of the gap";
  table.caption = "ms, device clock; they add up to idle";
  table.columns = {{"device", true}, {"gap", true}, {"gaps"}, {"ms"}, {"of the span"}};
  for (const DeviceReport& device : report.devices) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const IdleClass& one = device.time.idle_classes[i];
      table.rows.push_back({device.time.device, kNames[i], grouped(one.gaps),
                            bare_trace_ms(one.total), share(one.total, device.time.span())});
    }
  }
  return table;
}

Table idle_cause_table(const TraceReport& report) {
  Table table;
  table.title = "Idle by cause";
  table.caption =
      "ms, device clock; each gap is cut where its launch call began and ended (host "
      "clock); they add up to idle";
  table.columns = {{"device", true}, {"cause", true}, {"ms"},
                   {"of idle"},      {"of the span"}, {"gaps"}};
  for (const DeviceReport& device : report.devices) {
    std::vector<std::size_t> order(kIdleCauses);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return device.causes[a].total > device.causes[b].total;
    });
    for (const std::size_t i : order) {
      const CauseShare& cause = device.causes[i];
      if (cause.total == Nanos{0}) continue;
      table.rows.push_back({device.time.device, name_of(static_cast<IdleCause>(i)),
                            bare_trace_ms(cause.total), share(cause.total, device.time.idle),
                            share(cause.total, device.time.span()), grouped(cause.gaps)});
    }
  }
  return table;
}

Table stream_table(const TraceReport& report) {
  Table table;
  table.title = "Streams";
  table.caption =
      "ms, device clock; waits of one stream as HolisticTraceAnalysis classes them. "
      "Another stream may be at work meanwhile: no idle of the device";
  table.columns = {{"device", true}, {"stream", true}, {"events"},      {"busy"},
                   {"of the\nspan"}, {"host_wait"},    {"kernel_wait"}, {"other"}};
  for (const DeviceReport& device : report.devices) {
    add_rows(device.time.streams, report.options.most_rows, "streams", &table,
             [&](const StreamWaits& stream) {
               return std::vector<std::string>{device.time.device,
                                               stream.stream,
                                               grouped(stream.events),
                                               bare_trace_ms(stream.busy),
                                               share(stream.busy, device.time.span()),
                                               bare_trace_ms(stream.host_wait),
                                               bare_trace_ms(stream.kernel_wait),
                                               bare_trace_ms(stream.other)};
             });
  }
  return table;
}

std::optional<Table> step_table(const TraceReport& report) {
  if (report.steps.empty()) return std::nullopt;
  Table table;
  table.title = "Steps";
  table.caption =
      "ms; host: the range, host clock; kernels, copies: sums of the work launched from "
      "within it, device clock";
  table.columns = {{"step", true}, {"host"}, {"kernels"}, {"copies"}, {"events"}};
  add_rows(report.steps, report.options.most_rows, "steps", &table, [&](const StepTotal& step) {
    return std::vector<std::string>{step.name, bare_trace_ms(step.host),
                                    device_ms(report, step.kernels), device_ms(report, step.copies),
                                    report.devices.empty() ? kNull : grouped(step.work)};
  });
  if (report.steps.size() > 1) table.remarks.push_back(spread_of(report.steps));
  drop_empty_columns(&table);
  return table;
}

std::optional<Table> phase_table(const TraceReport& report) {
  if (report.phases.empty()) return std::nullopt;
  Table table;
  table.title = "Phases";
  table.caption =
      "ms over all ranges of a name; host: the ranges, host clock; device: of the work "
      "launched from within, from first start to last end, and its sum, device clock";
  table.columns = {
      {"phase", true, 0, true}, {"ranges"}, {"host"}, {"device\nspan"}, {"device\nwork"}};
  add_rows(report.phases, report.options.most_rows, "phases", &table, [&](const PhaseTotal& phase) {
    return std::vector<std::string>{phase.name, grouped(phase.count), bare_trace_ms(phase.host),
                                    device_ms(report, phase.device_span),
                                    device_ms(report, phase.device_work)};
  });
  drop_empty_columns(&table);
  return table;
}

Table kernel_table(const TraceReport& report) {
  Table table;
  table.title = "Kernels by time";
  table.caption =
      "device clock; sums over all streams, so more than busy where they overlap; alone: while "
      "nothing else ran on the device";
  table.columns = {{"kernel", true, 0, true},
                   {"total ms"},
                   {"alone ms"},
                   {"count"},
                   {"mean us"},
                   {"longest us"}};
  add_rows(
      report.kernels, report.options.most_rows, "kernels", &table, [](const KernelTotal& kernel) {
        const double mean = static_cast<double>(kernel.total.count()) / double(kernel.count) / 1e3;
        return std::vector<std::string>{
            kernel.name,
            bare_trace_ms(kernel.total),
            bare_trace_ms(kernel.alone),
            grouped(kernel.count),
            fixed(mean, 1),
            fixed(static_cast<double>(kernel.longest.count()) / 1e3, 1)};
      });
  return table;
}

std::optional<Table> copy_table(const TraceReport& report) {
  if (report.copies.empty()) return std::nullopt;
  Table table;
  table.title = "Copies";
  table.caption =
      "device clock; MB = 10^6 bytes, GB = 10^9 bytes; - where the trace tells no bytes";
  table.columns = {{"copy", true, 0, true}, {"count"}, {"MB"}, {"total ms"}, {"GB/s"}};
  for (const CopyTotal& copy : report.copies) {
    const auto rate = copy.gb_per_s();
    table.rows.push_back(
        {copy.name, grouped(copy.count),
         copy.without_bytes > 0 ? kNull : fixed(static_cast<double>(copy.bytes) / 1e6, 2),
         bare_trace_ms(copy.total), rate ? fixed(*rate, 2) : kNull});
  }
  return table;
}

std::optional<Table> waiting_table(const TraceReport& report) {
  if (report.waiting.empty()) return std::nullopt;
  Table table;
  table.title = "Calls that wait for the device";
  table.caption =
      "host clock; in steps: begun within the selected steps, or within the trace where "
      "it has none";
  table.columns = {{"call", true, 0, true},
                   {"phase > operator", true, 0, true},
                   {"count"},
                   {"in steps"},
                   {"total ms"},
                   {"longest ms"}};
  add_rows(report.waiting, report.options.most_rows, "places", &table,
           [](const WaitingCalls& calls) {
             return std::vector<std::string>{calls.call,
                                             place_of(calls),
                                             grouped(calls.count),
                                             grouped(calls.in_steps),
                                             bare_trace_ms(calls.total),
                                             bare_trace_ms(calls.longest)};
           });
  return table;
}

}  // namespace traceml
