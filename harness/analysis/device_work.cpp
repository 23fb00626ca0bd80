#include "harness/analysis/device_work.h"

#include <algorithm>
#include <map>

#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

// The value below which a share of sorted values lies (nearest rank).
Nanos quantile_of(const std::vector<Nanos>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

template <class Total>
std::vector<Total> by_time(std::map<NameIndex, Total> totals) {
  std::vector<Total> list;
  for (auto& [name, total] : totals) list.push_back(std::move(total));
  std::stable_sort(list.begin(), list.end(), [](const Total& a, const Total& b) {
    return a.total != b.total ? a.total > b.total : a.name < b.name;
  });
  return list;
}

}  // namespace

std::vector<KernelTotal> kernel_totals(const Timeline& timeline, const Selection& selection) {
  std::map<NameIndex, KernelTotal> totals;
  for (const WorkIndex index : selection.work) {
    const DeviceSpan& work = timeline.events.device[index];
    if (work.kind != DeviceKind::kKernel) continue;
    KernelTotal& total = totals[work.name];
    total.name = timeline.name_of(work);
    ++total.count;
    total.total += work.duration;
    total.longest = std::max(total.longest, work.duration);
  }
  return by_time(std::move(totals));
}

std::vector<CopyTotal> copy_totals(const Timeline& timeline, const Selection& selection) {
  std::map<NameIndex, CopyTotal> totals;
  for (const WorkIndex index : selection.work) {
    const DeviceSpan& work = timeline.events.device[index];
    if (work.kind == DeviceKind::kKernel) continue;
    CopyTotal& total = totals[work.name];
    total.name = timeline.name_of(work);
    ++total.count;
    total.total += work.duration;
    total.bytes += work.bytes.value_or(0);
    if (!work.bytes) ++total.without_bytes;
  }
  return by_time(std::move(totals));
}

std::optional<double> CopyTotal::gb_per_s() const {
  if (without_bytes > 0 || total <= Nanos{0}) return std::nullopt;
  return static_cast<double>(bytes) / static_cast<double>(total.count());
}

std::optional<LaunchLag> launch_lag(const Timeline& timeline, const Selection& selection) {
  std::vector<Nanos> from_begin, from_end;
  std::int64_t prompt = 0, blocked = 0;
  for (const WorkIndex index : selection.work) {
    const DeviceSpan& work = timeline.events.device[index];
    if (work.kind != DeviceKind::kKernel || !timeline.launch[index]) continue;
    const HostSpan& launch = timeline.events.host[*timeline.launch[index]];
    if (is_graph_launch(timeline.name_of(launch))) continue;
    from_begin.push_back(work.start - launch.start);
    from_end.push_back(work.start - launch.end());
    if (from_end.back() < kRules.prompt_start) ++prompt;
    if (launch.duration >= kRules.blocked_launch) ++blocked;
  }
  if (from_end.empty()) return std::nullopt;
  std::sort(from_begin.begin(), from_begin.end());
  std::sort(from_end.begin(), from_end.end());
  const auto kernels = static_cast<double>(from_end.size());
  LaunchLag lag;
  lag.kernels = static_cast<std::int64_t>(from_end.size());
  lag.from_begin_p50 = quantile_of(from_begin, 0.5);
  lag.from_end_p5 = quantile_of(from_end, 0.05);
  lag.from_end_p50 = quantile_of(from_end, 0.5);
  lag.from_end_p95 = quantile_of(from_end, 0.95);
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
  return quantile_of(durations, 0.5);
}

}  // namespace traceml
