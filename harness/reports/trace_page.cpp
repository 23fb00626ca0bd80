#include "harness/reports/trace_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/reports/figures.h"
#include "harness/reports/trace_head.h"

namespace traceml {
namespace {

double idle_share(const TraceReport& report) {
  double idle = 0, span = 0;
  for (const DeviceReport& device : report.devices) {
    idle += static_cast<double>(device.time.idle.count());
    span += static_cast<double>(device.time.span().count());
  }
  return span > 0 ? idle / span : 0;
}

}  // namespace

std::vector<std::size_t> traces_in_full(const std::vector<TraceReport>& reports) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < reports.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return idle_share(reports[a]) > idle_share(reports[b]);
  });
  order.resize(std::min(order.size(), kMostTracesInFull));
  std::sort(order.begin(), order.end());
  return order;
}

LaneLimits lane_limits(std::size_t traces) {
  LaneLimits limits;
  const std::size_t parts = std::max<std::size_t>(traces, 1);
  limits.steps = std::max<std::size_t>(limits.steps / parts, 2);
  limits.bars /= parts;
  limits.longest = std::max<std::size_t>(limits.longest / parts, 60);
  limits.nearness = std::max<std::int64_t>(limits.nearness / static_cast<std::int64_t>(parts), 150);
  return limits;
}

std::string trace_line(const std::vector<TraceReport>& reports) {
  const TraceReport* least = &reports.front();
  std::int64_t as_little = 0;
  for (const TraceReport& report : reports) {
    if (report.trust.idle > least->trust.idle) least = &report;
  }
  for (const TraceReport& report : reports) {
    if (report.trust.idle == least->trust.idle) ++as_little;
  }
  std::string line = idle_words(*least);
  if (reports.size() > 1) {
    line += fmt::format(" ({} of {} traces)", as_little, reports.size());
  } else if (least->device_events > 0) {
    line += fmt::format(" ({} of device work has its launch recorded)",
                        percent(least->trust.launch_coverage(), 1));
  }
  return line;
}

}  // namespace traceml
