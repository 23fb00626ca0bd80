#include "harness/analysis/device_work.h"

#include <algorithm>
#include <map>

#include "harness/analysis/saturating.h"
#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

// In which quarter of its step, on the host clock.
std::optional<std::size_t> quarter_of(const std::vector<Step>& steps, Nanos when) {
  const auto step = step_at(steps, when);
  if (!step) return std::nullopt;
  const TimeRange& range = steps[*step].when;
  const auto part = static_cast<double>((when - range.begin).count());
  const auto whole = static_cast<double>((range.end - range.begin).count());
  const auto quarter = static_cast<std::size_t>(LaunchLag::kQuarters * part / whole);
  return std::min(quarter, LaunchLag::kQuarters - 1);
}

}  // namespace

std::vector<CopyTotal> copy_totals(const Timeline& timeline, const Selection& selection,
                                   std::optional<DeviceIndex> device) {
  std::map<NameIndex, CopyTotal> totals;
  for (const WorkIndex index : selection.work) {
    const DeviceSpan& work = timeline.events.device[index];
    if (work.kind == DeviceKind::kKernel) continue;
    if (device && timeline.device_of(work) != *device) continue;
    CopyTotal& total = totals[work.name];
    total.name = timeline.name_of(work);
    ++total.count;
    total.total += work.duration;
    add_saturating(total.bytes, work.bytes.value_or(0));
    if (!work.bytes) ++total.without_bytes;
  }
  std::vector<CopyTotal> list;
  for (auto& [name, total] : totals) list.push_back(std::move(total));
  std::stable_sort(list.begin(), list.end(), [](const CopyTotal& a, const CopyTotal& b) {
    return a.total != b.total ? a.total > b.total : a.name < b.name;
  });
  return list;
}

std::optional<double> CopyTotal::gb_per_s() const {
  if (without_bytes > 0 || total <= Nanos{0}) return std::nullopt;
  return static_cast<double>(bytes) / static_cast<double>(total.count());
}

std::optional<LaunchLag> launch_lag(const Timeline& timeline, const Selection& selection) {
  std::vector<Nanos> from_begin, from_end;
  std::array<std::vector<Nanos>, LaunchLag::kQuarters> quarters;
  std::int64_t prompt = 0, blocked = 0;
  Nanos calls{0};
  for (const WorkIndex index : selection.work) {
    const DeviceSpan& work = timeline.events.device[index];
    if (work.kind != DeviceKind::kKernel || !timeline.launch[index]) continue;
    const HostSpan& launch = timeline.events.host[*timeline.launch[index]];
    if (is_graph_launch(timeline.name_of(launch))) continue;
    from_begin.push_back(work.start - launch.start);
    from_end.push_back(work.start - launch.end());
    if (from_end.back() < kRules.prompt_start) ++prompt;
    if (launch.duration >= kRules.blocked_launch) ++blocked;
    calls += launch.duration;
    const auto quarter = quarter_of(selection.steps, launch.start);
    if (quarter) quarters[*quarter].push_back(from_end.back());
  }
  if (from_end.empty()) return std::nullopt;
  std::sort(from_begin.begin(), from_begin.end());
  std::sort(from_end.begin(), from_end.end());
  const auto kernels = static_cast<double>(from_end.size());
  LaunchLag lag;
  lag.kernels = static_cast<std::int64_t>(from_end.size());
  lag.calls = calls;
  for (std::size_t i = 0; i < quarters.size(); ++i) {
    if (quarters[i].empty()) continue;
    std::sort(quarters[i].begin(), quarters[i].end());
    lag.quarters[i] = nearest_rank(quarters[i], 0.5);
  }
  lag.from_begin_p50 = nearest_rank(from_begin, 0.5);
  lag.from_end_p5 = nearest_rank(from_end, 0.05);
  lag.from_end_p50 = nearest_rank(from_end, 0.5);
  lag.from_end_p95 = nearest_rank(from_end, 0.95);
  lag.prompt = static_cast<double>(prompt) / kernels;
  lag.blocked = static_cast<double>(blocked) / kernels;
  if (lag.prompt >= kRules.prompt_share) {
    lag.state = LaunchState::kLaunchBound;
  } else if (lag.blocked >= kRules.blocked_launch_share &&
             lag.from_end_p50 >= kRules.queue_full_lag) {
    lag.state = LaunchState::kQueueFull;
  }
  return lag;
}

const char* name_of(LaunchState state) {
  switch (state) {
    case LaunchState::kLaunchBound:
      return "launch-bound";
    case LaunchState::kQueueFull:
      return "queue full";
    case LaunchState::kBalanced:
      break;
  }
  return "balanced";
}

std::optional<Nanos> median_kernel(const Timeline& timeline, const Selection& selection) {
  std::vector<Nanos> durations;
  for (const WorkIndex index : selection.work) {
    const DeviceSpan& work = timeline.events.device[index];
    if (work.kind == DeviceKind::kKernel) durations.push_back(work.duration);
  }
  if (durations.empty()) return std::nullopt;
  std::sort(durations.begin(), durations.end());
  return nearest_rank(durations, 0.5);
}

}  // namespace traceml
