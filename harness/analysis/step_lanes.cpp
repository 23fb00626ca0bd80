#include "harness/analysis/step_lanes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/analysis/timeline_names.h"

namespace traceml {
namespace {

// When work was asked for: its launch, or its start where no launch is recorded.
Nanos asked_at(const Timeline& timeline, WorkIndex work) {
  const auto launch = timeline.launch[work];
  return launch ? timeline.events.host[*launch].start : timeline.events.device[work].start;
}

struct DeviceGap {
  DeviceIndex device;
  Gap gap;
};

// A step with the gaps that its work ended, and the time in which all of it lies.
struct Candidate {
  Step step;
  TimeRange window;
  Nanos idle{0};
  std::vector<DeviceGap> gaps;
};

std::vector<Candidate> candidates_of(const Timeline& timeline, const Selection& selection) {
  std::vector<Step> steps = selection.steps;
  // A trace without steps is one step.
  if (steps.empty()) steps.push_back({"", host_window(timeline, selection)});
  std::vector<Candidate> candidates;
  for (Step& step : steps) candidates.push_back({step, step.when, Nanos{0}, {}});
  const auto of = [&](WorkIndex work) -> Candidate* {
    if (selection.steps.empty()) return &candidates.front();
    const auto at = step_at(selection.steps, asked_at(timeline, work));
    return at ? &candidates[*at] : nullptr;
  };
  for (const WorkIndex work : selection.work) {
    Candidate* one = of(work);
    if (one == nullptr) continue;
    const DeviceSpan& span = timeline.events.device[work];
    one->window.begin = std::min(one->window.begin, span.start);
    one->window.end = std::max(one->window.end, span.end());
  }
  for (DeviceIndex device = 0; device < timeline.events.devices.size(); ++device) {
    for (const Gap& gap : gaps_of(timeline, selection, device).gaps) {
      Candidate* one = of(gap.after);
      if (one == nullptr) continue;
      one->idle += gap.length();
      one->window.begin = std::min(one->window.begin, gap.when.begin);
      one->gaps.push_back({device, gap});
    }
  }
  return candidates;
}

BarKind kind_of(const Timeline& timeline, const DeviceSpan& work) {
  if (work.kind != DeviceKind::kKernel) return BarKind::kCopy;
  return is_communication(timeline.name_of(work)) ? BarKind::kCommunication : BarKind::kKernel;
}

BarKind kind_of(HostKind kind) {
  switch (kind) {
    case HostKind::kOperator:
      return BarKind::kOperator;
    case HostKind::kPython:
      return BarKind::kPython;
    case HostKind::kCall:
      return BarKind::kCall;
    case HostKind::kOverhead:
      return BarKind::kProfiler;
    case HostKind::kAnnotation:
      break;
  }
  return BarKind::kRange;
}

TimeRange within(TimeRange when, TimeRange window) {
  return {std::max(when.begin, window.begin) - window.begin,
          std::min(when.end, window.end) - window.begin};
}

Nanos busy_of(const Lane& lane) {
  Nanos busy{0};
  for (const LaneBar& bar : lane.bars) busy += bar.busy;
  return busy;
}

// The lanes of one window.
class LaneMaker {
 public:
  LaneMaker(const Timeline& timeline, const LaneLimits& limits)
      : timeline_(timeline), limits_(limits) {}

  void make(TimeRange window, StepLanes* step) {
    auto streams = streams_in(window);
    auto threads = threads_in(window);
    step->left_out_lanes = keep_busiest(&streams, limits_.streams);
    step->left_out_lanes += keep_busiest(&threads, limits_.threads);
    const Nanos nearness = (window.end - window.begin) / limits_.nearness;
    for (auto* lanes : {&streams, &threads}) {
      for (Lane& lane : *lanes) {
        lane.bars = thinned(std::move(lane.bars), limits_.longest, nearness);
        step->lanes.push_back(std::move(lane));
      }
    }
  }

 private:
  std::vector<Lane> streams_in(TimeRange window) const {
    std::map<std::pair<DeviceIndex, StreamIndex>, Lane> lanes;
    for (const DeviceSpan& work : timeline_.events.device) {
      if (work.start >= window.end) break;  // by start
      if (work.end() <= window.begin || work.duration == Nanos{0}) continue;
      const DeviceIndex device = timeline_.device_of(work);
      Lane& lane = lanes[{device, work.stream}];
      lane.device = timeline_.events.devices[device];
      lane.name = timeline_.events.streams[work.stream].stream;
      add(within({work.start, work.end()}, window), kind_of(timeline_, work), work.name, &lane);
    }
    std::vector<Lane> list;
    for (auto& [place, lane] : lanes) list.push_back(std::move(lane));
    return list;
  }

  std::vector<Lane> threads_in(TimeRange window) {
    std::vector<bool> launches(timeline_.events.threads.size());
    for (WorkIndex work = 0; work < timeline_.events.device.size(); ++work) {
      const auto launch = timeline_.launch[work];
      if (!launch) continue;
      const HostSpan& call = timeline_.events.host[*launch];
      if (call.start < window.end && call.end() > window.begin) launches[call.thread] = true;
    }
    std::vector<Lane> lanes;
    for (ThreadIndex thread = 0; thread < launches.size(); ++thread) {
      Lane lane;
      lane.name = thread_in_words(timeline_, thread);
      lane.launches = launches[thread];
      for (const Stretch& stretch : stretches_of(timeline_, thread, window)) {
        if (stretch.innermost) add_stretch(stretch, window, &lane);
      }
      if (!lane.bars.empty() && (lane.launches || lane.loads)) lanes.push_back(std::move(lane));
    }
    return lanes;
  }

  void add_stretch(const Stretch& stretch, TimeRange window, Lane* lane) {
    const HostSpan& span = timeline_.events.host[*stretch.innermost];
    const bool loads = in_loader(*stretch.innermost);
    if (loads) lane->loads = true;
    // The step's own range is no work of the thread.
    if (!loads && span.kind == HostKind::kAnnotation && is_step(timeline_.name_of(span))) return;
    add(within(stretch.when, window), loads ? BarKind::kInput : kind_of(span.kind), span.name,
        lane);
  }

  bool in_loader(std::optional<HostIndex> span) {
    for (; span; span = timeline_.parent[*span]) {
      const HostSpan& one = timeline_.events.host[*span];
      if (one.kind != HostKind::kAnnotation && one.kind != HostKind::kPython) continue;
      const auto [known, is_new] = loader_names_.try_emplace(one.name, false);
      if (is_new) known->second = is_input(timeline_.name_of(one));
      if (known->second) return true;
    }
    return false;
  }

  static void add(TimeRange when, BarKind kind, NameIndex name, Lane* lane) {
    lane->bars.push_back({when, kind, name, 1, when.end - when.begin});
  }

  // Returns how many lanes are left out; the order stays.
  static std::int64_t keep_busiest(std::vector<Lane>* lanes, std::size_t most) {
    if (lanes->size() <= most) return 0;
    std::vector<std::pair<Nanos, std::size_t>> order;
    for (std::size_t i = 0; i < lanes->size(); ++i) order.emplace_back(-busy_of((*lanes)[i]), i);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < most; ++i) kept.push_back(order[i].second);
    std::sort(kept.begin(), kept.end());
    std::vector<Lane> busiest;
    for (const std::size_t i : kept) busiest.push_back(std::move((*lanes)[i]));
    const auto left_out = static_cast<std::int64_t>(lanes->size() - most);
    *lanes = std::move(busiest);
    return left_out;
  }

  const Timeline& timeline_;
  const LaneLimits& limits_;
  std::map<NameIndex, bool> loader_names_;
};

// At most `most` of at least `least`, the longest, by time; and how many more there are.
std::pair<std::vector<DeviceGap>, std::int64_t> longest_of(std::vector<DeviceGap> gaps, Nanos least,
                                                           std::size_t most) {
  std::erase_if(gaps, [least](const DeviceGap& one) { return one.gap.length() < least; });
  const auto left_out = static_cast<std::int64_t>(gaps.size() - std::min(gaps.size(), most));
  std::stable_sort(gaps.begin(), gaps.end(), [](const DeviceGap& a, const DeviceGap& b) {
    return a.gap.length() > b.gap.length();
  });
  gaps.resize(gaps.size() - static_cast<std::size_t>(left_out));
  std::stable_sort(gaps.begin(), gaps.end(), [](const DeviceGap& a, const DeviceGap& b) {
    return a.gap.when.begin < b.gap.when.begin;
  });
  return {std::move(gaps), left_out};
}

void add_gaps(const Timeline& timeline, const TraceReport& report, const Situations& situations,
              const Candidate& candidate, std::size_t most, StepLanes* step) {
  if (report.trust.idle == IdleTrust::kRefused) return;
  step->idle = candidate.idle;
  auto [gaps, left_out] = longest_of(candidate.gaps, report.options.long_gap, most);
  step->left_out_gaps = left_out;
  for (const auto& [device, gap] : gaps) {
    LaneGap one;
    one.device = timeline.events.devices[device];
    one.when = within(gap.when, candidate.window);
    if (report.trust.causes) one.cause = causes_of(timeline, situations, gap).main();
    one.before = timeline.events.device[gap.before].name;
    one.after = timeline.events.device[gap.after].name;
    step->gaps.push_back(std::move(one));
  }
}

// From positions in the timeline's names to those in a list of the names that are used.
void take_names(const Timeline& timeline, TraceLanes* lanes) {
  std::map<NameIndex, std::uint32_t> places;
  const auto take = [&](std::uint32_t* name) {
    const auto next = static_cast<std::uint32_t>(lanes->names.size());
    const auto [place, is_new] = places.try_emplace(*name, next);
    if (is_new) lanes->names.push_back(timeline.events.names[*name]);
    *name = place->second;
  };
  for (StepLanes& step : lanes->steps) {
    for (Lane& lane : step.lanes) {
      for (LaneBar& bar : lane.bars) {
        if (bar.name) take(&*bar.name);
      }
    }
    for (LaneGap& gap : step.gaps) {
      take(&gap.before);
      take(&gap.after);
    }
  }
}

}  // namespace

std::vector<std::size_t> choose_steps(const std::vector<Nanos>& idle, std::size_t most) {
  std::vector<std::size_t> order(idle.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return idle[a] > idle[b]; });
  if (order.size() <= most) return order;
  const auto median = order.begin() + std::ptrdiff_t(order.size() / 2);
  if (most > 1 && median != order.begin()) std::rotate(order.begin() + 1, median, median + 1);
  order.resize(most);
  return order;
}

TraceLanes step_lanes(const Timeline& timeline, const TraceReport& report,
                      const LaneLimits& limits) {
  TraceLanes lanes;
  lanes.limits = limits;
  const Selection selection = select_work(timeline, report.selection);
  if (selection.work.empty() && timeline.events.host.empty()) return lanes;
  const std::vector<Candidate> candidates = candidates_of(timeline, selection);
  std::vector<Nanos> idle;
  for (const Candidate& one : candidates) idle.push_back(one.idle);
  lanes.all_steps = static_cast<std::int64_t>(candidates.size());
  const Situations situations(timeline);
  LaneMaker maker(timeline, limits);
  std::map<std::size_t, StepLanes> steps;  // by time
  std::size_t bars = 0;
  for (const std::size_t one : choose_steps(idle, limits.steps)) {
    if (bars >= limits.bars) break;
    const Candidate& candidate = candidates[one];
    StepLanes& step = steps[one];
    step.step = candidate.step.name;
    step.begin = candidate.window.begin - candidates.front().window.begin;
    step.length = candidate.window.end - candidate.window.begin;
    maker.make(candidate.window, &step);
    add_gaps(timeline, report, situations, candidate, limits.gaps, &step);
    for (const Lane& lane : step.lanes) bars += lane.bars.size();
  }
  for (auto& [place, step] : steps) lanes.steps.push_back(std::move(step));
  take_names(timeline, &lanes);
  return lanes;
}

}  // namespace traceml
