#include "harness/analysis/timeline.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

// Sums of all that is left stay within 64 bits: records whose durations together exceed 73 years
// are wrong ones, and the longest of them are left out. How many.
template <class Span>
std::int64_t drop_too_long(std::vector<Span>* spans) {
  constexpr Nanos kMost{std::int64_t{1} << 61};
  Nanos left = kMost;
  for (const Span& span : *spans) left -= std::min(span.duration, left);
  if (left > Nanos{0}) return 0;
  const Nanos longest = kMost / static_cast<std::int64_t>(spans->size());
  return static_cast<std::int64_t>(
      std::erase_if(*spans, [&](const Span& span) { return span.duration > longest; }));
}

// Stacks may be out of order: rounded times overlap by a microsecond, and a ProfilerStep range
// begins inside the Python frame of step(). A span counts as inside another where at least half of
// it is.
bool is_within(const HostSpan& inner, const HostSpan& outer) {
  return outer.end() > inner.start && outer.end() - inner.start >= inner.end() - outer.end();
}

// Of sorted spans. Looking outwards from each span then takes a bounded time.
std::int64_t drop_too_deep(std::vector<HostSpan>* host) {
  std::vector<HostSpan> open;
  const auto is_too_deep = [&](const HostSpan& span) {
    if (!open.empty() && span.thread != open.back().thread) open.clear();
    while (!open.empty() && !is_within(span, open.back())) open.pop_back();
    if (open.size() >= kRules.deepest_stack) return true;
    open.push_back(span);
    return false;
  };
  std::vector<HostSpan> kept;
  const std::size_t all = host->size();
  kept.reserve(all);
  for (const HostSpan& span : *host) {
    if (!is_too_deep(span)) kept.push_back(span);
  }
  if (kept.size() < all) host->swap(kept);
  return static_cast<std::int64_t>(all - host->size());
}

void sort_host(Timeline* timeline) {
  auto& host = timeline->events.host;
  timeline->faults.negative +=
      std::erase_if(host, [](const HostSpan& span) { return span.duration < Nanos{0}; });
  timeline->faults.absurd_host +=
      std::erase_if(host, [](const HostSpan& span) { return span.duration > kRules.absurd_host; });
  timeline->faults.too_long_host = drop_too_long(&host);
  std::sort(host.begin(), host.end(), [](const HostSpan& a, const HostSpan& b) {
    return std::tuple(a.thread, a.start, b.duration, a.kind) <
           std::tuple(b.thread, b.start, a.duration, b.kind);
  });
  timeline->faults.too_deep = drop_too_deep(&host);
  timeline->thread_begin.assign(timeline->events.threads.size() + 1, host.size());
  for (std::size_t i = host.size(); i-- > 0;) timeline->thread_begin[host[i].thread] = i;
  for (std::size_t t = timeline->events.threads.size(); t-- > 0;) {
    std::size_t& begin = timeline->thread_begin[t];
    begin = std::min(begin, timeline->thread_begin[t + 1]);
  }
}

void find_parents(Timeline* timeline) {
  const auto& host = timeline->events.host;
  timeline->parent.resize(host.size());
  std::vector<HostIndex> open;
  for (HostIndex i = 0; i < host.size(); ++i) {
    if (i > 0 && host[i].thread != host[i - 1].thread) open.clear();
    while (!open.empty() && !is_within(host[i], host[open.back()])) open.pop_back();
    if (!open.empty()) timeline->parent[i] = open.back();
    open.push_back(i);
  }
}

void find_main_thread(Timeline* timeline) {
  std::vector<std::pair<std::int64_t, std::int64_t>> annotations(timeline->events.threads.size());
  for (const HostSpan& span : timeline->events.host) {
    if (span.kind != HostKind::kAnnotation) continue;
    auto& [steps, ranges] = annotations[span.thread];
    ++(is_step(timeline->name_of(span)) ? steps : ranges);
  }
  const auto most = std::max_element(annotations.begin(), annotations.end());
  if (most == annotations.end() || *most == std::pair<std::int64_t, std::int64_t>{}) return;
  timeline->main_thread = static_cast<ThreadIndex>(most - annotations.begin());
}

bool is_absurd(const DeviceSpan& work, std::optional<Nanos> called) {
  const Nanos off = called ? std::max(work.start - *called, *called - work.start) : Nanos{0};
  return work.duration > kRules.absurd_duration || off > kRules.absurd_offset;
}

// The call of each correlation. Where ids came round again, the last before the work started.
class Calls {
 public:
  explicit Calls(const std::vector<HostSpan>& host) : host_(host) {
    for (HostIndex i = 0; i < host.size(); ++i) {
      if (host[i].correlation) calls_.push_back(i);
    }
    std::sort(calls_.begin(), calls_.end(), [&](HostIndex a, HostIndex b) {
      return std::pair(*host_[a].correlation, host_[a].start) <
             std::pair(*host_[b].correlation, host_[b].start);
    });
  }

  std::optional<HostIndex> of(const DeviceSpan& work) const {
    if (!work.correlation) return std::nullopt;
    const auto is_before = [&](const std::pair<std::int64_t, Nanos>& key, HostIndex call) {
      return key < std::pair(*host_[call].correlation, host_[call].start);
    };
    const auto later = std::upper_bound(calls_.begin(), calls_.end(),
                                        std::pair(*work.correlation, work.start), is_before);
    const auto has_id = [&](HostIndex call) { return host_[call].correlation == work.correlation; };
    if (later != calls_.begin() && has_id(*(later - 1))) return *(later - 1);
    if (later != calls_.end() && has_id(*later)) return *later;  // all of them are later
    return std::nullopt;
  }

 private:
  const std::vector<HostSpan>& host_;
  std::vector<HostIndex> calls_;
};

void sort_device(Timeline* timeline) {
  auto& device = timeline->events.device;
  const Calls calls(timeline->events.host);
  timeline->faults.negative +=
      std::erase_if(device, [](const DeviceSpan& span) { return span.duration < Nanos{0}; });
  timeline->faults.absurd += std::erase_if(device, [&](const DeviceSpan& span) {
    const auto call = calls.of(span);
    return is_absurd(span, call ? std::optional(timeline->events.host[*call].start) : std::nullopt);
  });
  timeline->faults.too_long = drop_too_long(&device);
  std::sort(device.begin(), device.end(), [](const DeviceSpan& a, const DeviceSpan& b) {
    return std::tuple(a.start, b.duration, a.stream, a.name) <
           std::tuple(b.start, a.duration, b.stream, b.name);
  });
  timeline->faults.empty = std::count_if(device.begin(), device.end(), [](const DeviceSpan& span) {
    return span.duration == Nanos{0};
  });
  for (const DeviceSpan& span : device) timeline->launch.push_back(calls.of(span));
}

// One past the last span of `thread` that starts at or before `when`.
std::size_t after_starts(const Timeline& timeline, ThreadIndex thread, Nanos when) {
  const auto& host = timeline.events.host;
  const auto begin = host.begin() + std::ptrdiff_t(timeline.thread_begin[thread]);
  const auto end = host.begin() + std::ptrdiff_t(timeline.thread_begin[thread + 1]);
  const auto later = [](Nanos time, const HostSpan& span) { return time < span.start; };
  return static_cast<std::size_t>(std::upper_bound(begin, end, when, later) - host.begin());
}

// Outermost first.
std::vector<HostIndex> open_spans(const Timeline& timeline, ThreadIndex thread, Nanos when) {
  std::vector<HostIndex> open;
  const std::size_t after = after_starts(timeline, thread, when);
  if (after == timeline.thread_begin[thread]) return open;
  std::optional<HostIndex> span = static_cast<HostIndex>(after - 1);
  for (; span; span = timeline.parent[*span]) {
    if (timeline.events.host[*span].end() > when) open.push_back(*span);
  }
  std::reverse(open.begin(), open.end());
  return open;
}

}  // namespace

Timeline make_timeline(TimelineEvents events) {
  Timeline timeline;
  timeline.events = std::move(events);
  sort_host(&timeline);
  find_parents(&timeline);
  find_main_thread(&timeline);
  sort_device(&timeline);
  return timeline;
}

std::vector<Stretch> stretches_of(const Timeline& timeline, ThreadIndex thread, TimeRange window) {
  const auto& host = timeline.events.host;
  std::vector<Stretch> stretches;
  std::vector<HostIndex> open = open_spans(timeline, thread, window.begin);
  Nanos at = window.begin;
  const auto fill_to = [&](Nanos end) {
    end = std::min(end, window.end);
    if (end <= at) return;
    stretches.push_back({{at, end}, open.empty() ? std::nullopt : std::optional(open.back())});
    at = end;
  };
  const auto close_to = [&](Nanos when) {
    while (!open.empty() && host[open.back()].end() <= when) {
      fill_to(host[open.back()].end());
      open.pop_back();
    }
  };
  for (std::size_t next = after_starts(timeline, thread, window.begin);
       next < timeline.thread_begin[thread + 1] && host[next].start < window.end; ++next) {
    close_to(host[next].start);
    fill_to(host[next].start);
    open.push_back(static_cast<HostIndex>(next));
  }
  close_to(window.end);
  fill_to(window.end);
  return stretches;
}

std::optional<HostIndex> open_at(const Timeline& timeline, ThreadIndex thread, Nanos when) {
  const std::vector<HostIndex> open = open_spans(timeline, thread, when);
  return open.empty() ? std::nullopt : std::optional(open.back());
}

std::optional<HostIndex> innermost_of(const Timeline& timeline, std::optional<HostIndex> span,
                                      HostKind kind) {
  while (span && timeline.events.host[*span].kind != kind) span = timeline.parent[*span];
  return span;
}

std::optional<HostIndex> phase_around(const Timeline& timeline, std::optional<HostIndex> span) {
  for (; span; span = timeline.parent[*span]) {
    const HostSpan& one = timeline.events.host[*span];
    if (one.kind == HostKind::kAnnotation && !is_step(timeline.name_of(one))) return span;
  }
  return std::nullopt;
}

std::optional<HostIndex> phase_at(const Timeline& timeline, ThreadIndex thread, Nanos when) {
  if (const auto own = phase_around(timeline, open_at(timeline, thread, when))) return own;
  if (!timeline.main_thread || *timeline.main_thread == thread) return std::nullopt;
  return phase_around(timeline, open_at(timeline, *timeline.main_thread, when));
}

}  // namespace traceml
