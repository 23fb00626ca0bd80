#include "harness/analysis/host_silences.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "harness/analysis/idle_gaps.h"
#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

// Merged busy time, and how much of a window it fills.
class BusyTime {
 public:
  BusyTime(const Timeline& timeline, const Selection& selection) {
    std::vector<TimeRange> ranges;
    for (const WorkIndex index : selection.work) {
      const DeviceSpan& work = timeline.events.device[index];
      ranges.push_back({work.start, work.end()});
    }
    busy_ = merged(std::move(ranges));
    Nanos sum{0};
    for (const TimeRange& one : busy_) {
      before_.push_back(sum);
      sum += one.end - one.begin;
    }
  }

  bool empty() const { return busy_.empty(); }
  TimeRange extent() const { return {busy_.front().begin, busy_.back().end}; }
  Nanos within(const TimeRange& window) const { return until(window.end) - until(window.begin); }

 private:
  Nanos until(Nanos when) const {
    const auto after =
        std::upper_bound(busy_.begin(), busy_.end(), when,
                         [](Nanos time, const TimeRange& one) { return time < one.begin; });
    if (after == busy_.begin()) return Nanos{0};
    const TimeRange& last = *(after - 1);
    return before_[static_cast<std::size_t>(after - busy_.begin()) - 1] + std::min(when, last.end) -
           last.begin;
  }

  std::vector<TimeRange> busy_;
  std::vector<Nanos> before_;  // busy time before each range
};

bool is_silence(const Timeline& timeline, ThreadIndex thread, const Stretch& stretch) {
  if (stretch.when.end - stretch.when.begin < kRules.silence) return false;
  if (!stretch.innermost) return timeline.main_thread == thread;
  const HostKind kind = timeline.events.host[*stretch.innermost].kind;
  return kind != HostKind::kCall && kind != HostKind::kOverhead;
}

// All steps are one place.
std::string range_of(const Timeline& timeline, const Stretch& stretch) {
  if (!stretch.innermost) return "";
  const std::string_view name = timeline.name_of(timeline.events.host[*stretch.innermost]);
  return is_step(name) ? "ProfilerStep" : std::string(name);
}

}  // namespace

std::vector<HostSilence> host_silences(const Timeline& timeline, const Selection& selection) {
  const BusyTime busy(timeline, selection);
  if (busy.empty()) return {};
  std::map<std::pair<ThreadIndex, std::string>, HostSilence> places;
  for (const ThreadIndex thread : launching_threads(timeline, selection)) {
    for (const Stretch& stretch : stretches_of(timeline, thread, busy.extent())) {
      if (!is_silence(timeline, thread, stretch)) continue;
      const std::string inside = range_of(timeline, stretch);
      HostSilence& place = places[{thread, inside}];
      place.thread = thread_in_words(timeline, thread);
      place.inside = inside;
      const Nanos length = stretch.when.end - stretch.when.begin;
      const Nanos hidden = busy.within(stretch.when);
      ++place.count;
      place.total += length;
      place.longest = std::max(place.longest, length);
      place.hidden += hidden;
      place.exposed += length - hidden;
    }
  }
  std::vector<HostSilence> silences;
  for (auto& [key, place] : places) silences.push_back(std::move(place));
  std::stable_sort(silences.begin(), silences.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.exposed, a.total) > std::tuple(b.exposed, b.total);
  });
  return silences;
}

}  // namespace traceml
