#include "harness/analysis/idle_gaps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

// The name on which most time went.
class Tally {
 public:
  void add(std::string_view name, Nanos time) { times_[name] += time; }

  // Empty where none fills enough of `window`.
  std::string most(const TimeRange& window) const {
    const auto larger = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::max_element(times_.begin(), times_.end(), larger);
    if (most == times_.end()) return "";
    const auto part = static_cast<double>(most->second.count());
    const auto whole = static_cast<double>((window.end - window.begin).count());
    return part < kRules.whereabouts_share * whole ? "" : std::string(most->first);
  }

 private:
  std::map<std::string_view, Nanos> times_;
};

// The innermost thing that says what a stretch was about; null of an idle thread.
std::optional<HostIndex> telling(const Timeline& timeline, const Stretch& stretch) {
  std::optional<HostIndex> span = stretch.innermost;
  while (span && timeline.events.host[*span].kind == HostKind::kAnnotation) {
    span = timeline.parent[*span];
  }
  return span ? span : stretch.innermost;
}

}  // namespace

DeviceGaps gaps_of(const Timeline& timeline, const Selection& selection, DeviceIndex device) {
  const auto is_there = [&](WorkIndex index) {
    const DeviceSpan& work = timeline.events.device[index];
    return timeline.device_of(work) == device && work.duration > Nanos{0};
  };
  std::vector<bool> selected(timeline.events.device.size());
  TimeRange extent{Nanos::max(), Nanos::min()};
  for (const WorkIndex index : selection.work) {
    if (!is_there(index)) continue;
    const DeviceSpan& work = timeline.events.device[index];
    selected[index] = true;
    extent = {std::min(extent.begin, work.start), std::max(extent.end, work.end())};
  }
  DeviceGaps all;
  std::optional<WorkIndex> last;  // to end so far
  Nanos end = extent.begin;
  for (WorkIndex index = 0; index < timeline.events.device.size(); ++index) {
    const DeviceSpan& work = timeline.events.device[index];
    if (!is_there(index) || work.end() <= extent.begin || work.start >= extent.end) continue;
    if (!selected[index]) ++all.unselected;
    if (last && work.start > end) {
      Gap gap{{end, work.start}, *last, index, timeline.launch[index], std::nullopt};
      if (gap.launch) gap.thread = timeline.events.host[*gap.launch].thread;
      all.gaps.push_back(gap);
    }
    if (work.end() > end) {
      end = work.end();
      last = index;
    }
  }
  return all;
}

Whereabouts whereabouts_of(const Timeline& timeline, ThreadIndex thread, TimeRange window) {
  const auto& host = timeline.events.host;
  Tally phases, operations, calls, frames;
  Whereabouts where;
  const auto add = [&](Tally* tally, std::optional<HostIndex> span, Nanos time) {
    if (span) tally->add(timeline.name_of(host[*span]), time);
  };
  for (const Stretch& stretch : stretches_of(timeline, thread, window)) {
    const Nanos time = stretch.when.end - stretch.when.begin;
    const auto span = stretch.innermost;
    auto phase = phase_around(timeline, span);
    if (!phase) phase = phase_at(timeline, thread, stretch.when.begin);
    add(&phases, phase, time);
    add(&operations, innermost_of(timeline, span, HostKind::kOperator), time);
    add(&calls, innermost_of(timeline, span, HostKind::kCall), time);
    add(&frames, innermost_of(timeline, span, HostKind::kPython), time);
    const bool in_call = span && host[*span].kind == HostKind::kCall;
    if (in_call || time <= where.silent) continue;
    where.silent = time;
    where.silent_in = span ? timeline.name_of(host[*span]) : std::string_view();
  }
  where.phase = phases.most(window);
  where.operation = operations.most(window);
  where.call = calls.most(window);
  where.frame = frames.most(window);
  return where;
}

Whereabouts whereabouts_in(const Timeline& timeline, const Gap& gap) {
  if (!gap.launch) return {};
  const Nanos launched = timeline.events.host[*gap.launch].start;
  // Of work that was queued already the thread has long gone on: then all of the gap.
  const Nanos end = launched > gap.when.begin ? std::min(launched, gap.when.end) : gap.when.end;
  return whereabouts_of(timeline, *gap.thread, {gap.when.begin, end});
}

std::string thread_in_words(const Timeline& timeline, ThreadIndex thread) {
  if (timeline.main_thread == thread) return "main thread";
  const HostThread& one = timeline.events.threads[thread];
  return "thread " + one.thread;
}

std::vector<std::string> others_in(const Timeline& timeline, ThreadIndex thread, TimeRange window,
                                   std::size_t most) {
  std::vector<std::pair<Nanos, std::string>> others;
  for (ThreadIndex other = 0; other < timeline.events.threads.size(); ++other) {
    if (other == thread) continue;
    Tally tally;
    Nanos time{0};
    for (const Stretch& stretch : stretches_of(timeline, other, window)) {
      const auto span = telling(timeline, stretch);
      if (!span) continue;
      time += stretch.when.end - stretch.when.begin;
      tally.add(timeline.name_of(timeline.events.host[*span]),
                stretch.when.end - stretch.when.begin);
    }
    if (time == Nanos{0}) continue;
    others.emplace_back(time, thread_in_words(timeline, other) + ": " + tally.most({{}, time}));
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> words;
  for (const auto& [time, text] : others) {
    if (words.size() < most) words.push_back(text);
  }
  return words;
}

}  // namespace traceml
