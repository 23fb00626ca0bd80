// Device work by the range and the step from which it was launched (device_work.h).

#include <algorithm>
#include <map>

#include "harness/analysis/device_work.h"
#include "harness/analysis/timeline_names.h"

namespace traceml {
namespace {

struct WorkOfRange {
  TimeRange extent;
  Nanos total{0};
};

std::map<HostIndex, WorkOfRange> work_by_range(const Timeline& timeline,
                                               const Selection& selection) {
  std::map<HostIndex, WorkOfRange> ranges;
  for (const WorkIndex index : selection.work) {
    const auto launch = timeline.launch[index];
    if (!launch) continue;
    const HostSpan& call = timeline.events.host[*launch];
    auto phase = phase_around(timeline, *launch);
    if (!phase) phase = phase_at(timeline, call.thread, call.start);
    if (!phase) continue;
    const DeviceSpan& work = timeline.events.device[index];
    const auto [range, is_new] = ranges.try_emplace(*phase);
    if (is_new) range->second.extent = {work.start, work.end()};
    range->second.extent.end = std::max(range->second.extent.end, work.end());
    range->second.total += work.duration;
  }
  return ranges;
}

}  // namespace

std::vector<PhaseTotal> phase_totals(const Timeline& timeline, const Selection& selection) {
  const TimeRange window = host_window(timeline, selection);
  const auto work = work_by_range(timeline, selection);
  std::map<std::string_view, PhaseTotal> totals;
  for (HostIndex i = 0; i < timeline.events.host.size(); ++i) {
    const HostSpan& span = timeline.events.host[i];
    const std::string_view name = timeline.name_of(span);
    if (span.kind != HostKind::kAnnotation || is_step(name)) continue;
    if (span.start < window.begin || span.start >= window.end) continue;
    PhaseTotal& total = totals[name];
    total.name = name;
    ++total.count;
    total.host += span.duration;
    const auto own = work.find(i);
    if (own == work.end()) continue;
    total.device_span += own->second.extent.end - own->second.extent.begin;
    total.device_work += own->second.total;
  }
  std::vector<PhaseTotal> list;
  for (auto& [name, total] : totals) list.push_back(std::move(total));
  std::stable_sort(list.begin(), list.end(),
                   [](const PhaseTotal& a, const PhaseTotal& b) { return a.host > b.host; });
  return list;
}

std::vector<StepTotal> step_totals(const Timeline& timeline, const Selection& selection) {
  std::vector<StepTotal> totals;
  for (const Step& step : selection.steps) {
    StepTotal total;
    total.name = step.name;
    total.host = step.when.end - step.when.begin;
    totals.push_back(total);
  }
  for (const WorkIndex index : selection.work) {
    const auto launch = timeline.launch[index];
    if (!launch) continue;
    const Nanos asked = timeline.events.host[*launch].start;
    const auto step = step_at(selection.steps, asked);
    if (!step) continue;
    StepTotal& total = totals[*step];
    const DeviceSpan& work = timeline.events.device[index];
    (work.kind == DeviceKind::kKernel ? total.kernels : total.copies) += work.duration;
    ++total.work;
  }
  return totals;
}

}  // namespace traceml
