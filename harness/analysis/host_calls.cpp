#include "harness/analysis/host_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

constexpr std::size_t kOthers = 3;

bool inside_call(const Timeline& timeline, HostIndex call) {
  const auto parent = timeline.parent[call];
  return innermost_of(timeline, parent, HostKind::kCall).has_value();
}

bool outermost_call(const Timeline& timeline, HostIndex index) {
  return timeline.events.host[index].kind == HostKind::kCall && !inside_call(timeline, index);
}

std::string name_or_nothing(const Timeline& timeline, std::optional<HostIndex> span) {
  return span ? std::string(timeline.name_of(timeline.events.host[*span])) : "";
}

// What was open around a call.
Whereabouts around(const Timeline& timeline, HostIndex call) {
  const HostSpan& span = timeline.events.host[call];
  Whereabouts where;
  auto phase = phase_around(timeline, call);
  if (!phase) phase = phase_at(timeline, span.thread, span.start);
  where.phase = name_or_nothing(timeline, phase);
  where.operation = name_or_nothing(timeline, innermost_of(timeline, call, HostKind::kOperator));
  where.frame = name_or_nothing(timeline, innermost_of(timeline, call, HostKind::kPython));
  return where;
}

}  // namespace

std::vector<WaitingCalls> waiting_calls(const Timeline& timeline, const Situations& situations,
                                        const Selection& selection) {
  const TimeRange window = host_window(timeline, selection);
  std::map<std::tuple<std::string, std::string, std::string>, WaitingCalls> places;
  for (HostIndex i = 0; i < timeline.events.host.size(); ++i) {
    if (!outermost_call(timeline, i) || !situations.waits(i)) continue;
    const HostSpan& call = timeline.events.host[i];
    const Whereabouts where = around(timeline, i);
    const std::string name(timeline.name_of(call));
    WaitingCalls& place = places[{name, where.phase, where.operation}];
    place.call = name;
    place.phase = where.phase;
    place.operation = where.operation;
    ++place.count;
    if (call.start >= window.begin && call.start < window.end) ++place.in_steps;
    place.total += call.duration;
    place.longest = std::max(place.longest, call.duration);
  }
  std::vector<WaitingCalls> calls;
  for (auto& [key, place] : places) calls.push_back(std::move(place));
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto& a, const auto& b) { return a.total > b.total; });
  return calls;
}

BlockedCalls blocked_calls(const Timeline& timeline, const Selection& selection, std::size_t most) {
  const TimeRange window = host_window(timeline, selection);
  const std::set<ThreadIndex> launching = launching_threads(timeline, selection);
  using Place = std::tuple<ThreadIndex, std::string, std::string, std::string, std::string>;
  std::map<Place, BlockedCall> places;
  BlockedCalls blocked;
  for (HostIndex i = 0; i < timeline.events.host.size(); ++i) {
    const HostSpan& call = timeline.events.host[i];
    if (call.duration < kRules.long_call || !launching.contains(call.thread)) continue;
    if (call.end() <= window.begin || call.start >= window.end) continue;
    if (!outermost_call(timeline, i)) continue;
    ++blocked.count;
    blocked.total += call.duration;
    const Whereabouts where = around(timeline, i);
    const std::string name(timeline.name_of(call));
    BlockedCall& place = places[{call.thread, name, where.phase, where.operation, where.frame}];
    place.name = name;
    place.where = where;
    place.thread = thread_in_words(timeline, call.thread);
    ++place.count;
    place.total += call.duration;
    if (call.duration <= place.longest.end - place.longest.begin) continue;
    place.longest = {call.start, call.end()};
    place.others = others_in(timeline, call.thread, place.longest, kOthers);
  }
  for (auto& [key, place] : places) blocked.places.push_back(std::move(place));
  std::stable_sort(blocked.places.begin(), blocked.places.end(),
                   [](const auto& a, const auto& b) { return a.total > b.total; });
  blocked.places.resize(std::min(blocked.places.size(), most));
  return blocked;
}

}  // namespace traceml
