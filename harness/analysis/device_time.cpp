#include "harness/analysis/device_time.h"

#include <algorithm>

#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

enum class Part { kCompute, kCommunication, kCopies };

Part part_of(const Timeline& timeline, const DeviceSpan& work) {
  if (work.kind != DeviceKind::kKernel) return Part::kCopies;
  return is_communication(timeline.name_of(work)) ? Part::kCommunication : Part::kCompute;
}

class StreamGaps {
 public:
  StreamGaps(const Timeline& timeline, StreamIndex stream) : timeline_(timeline) {
    waits_.stream = timeline.events.streams[stream].stream;
  }

  void add(WorkIndex index) {
    const DeviceSpan& work = timeline_.events.device[index];
    if (waits_.events > 0 && work.start > last_end_) place(work.start - last_end_, index);
    last_end_ = waits_.events == 0 ? work.end() : std::max(last_end_, work.end());
    ++waits_.events;
    intervals_.push_back({work.start, work.end()});
  }

  StreamWaits take() {
    waits_.busy = length_of(merged(std::move(intervals_)));
    return waits_;
  }

 private:
  void place(Nanos gap, WorkIndex index) {
    const auto launch = timeline_.launch[index];
    if (launch && timeline_.events.host[*launch].start > last_end_) {
      waits_.host_wait += gap;
    } else if (gap < kRules.queued_gap) {
      waits_.kernel_wait += gap;
    } else {
      waits_.other += gap;
    }
  }

  const Timeline& timeline_;
  StreamWaits waits_;
  Nanos last_end_{0};
  std::vector<TimeRange> intervals_;
};

std::vector<StreamWaits> stream_waits(const Timeline& timeline, const Selection& selection,
                                      DeviceIndex device) {
  std::vector<StreamGaps> gaps;
  for (StreamIndex stream = 0; stream < timeline.events.streams.size(); ++stream) {
    gaps.emplace_back(timeline, stream);
  }
  for (const WorkIndex work : selection.work) gaps[timeline.events.device[work].stream].add(work);
  std::vector<StreamWaits> waits;
  for (StreamIndex stream = 0; stream < gaps.size(); ++stream) {
    StreamWaits one = gaps[stream].take();
    if (timeline.events.streams[stream].device != device || one.events == 0) continue;
    waits.push_back(std::move(one));
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const StreamWaits& a, const StreamWaits& b) { return a.busy > b.busy; });
  return waits;
}

void add_idle_classes(const std::vector<TimeRange>& busy, DeviceTime* time) {
  for (std::size_t i = 1; i < busy.size(); ++i) {
    const Nanos gap = busy[i].begin - busy[i - 1].end;
    IdleClass& one = time->idle_classes[idle_class_of(gap)];
    ++one.gaps;
    one.total += gap;
  }
}

DeviceTime time_of(const std::array<std::vector<TimeRange>, 3>& parts) {
  const auto union_of = [&](std::initializer_list<Part> which) {
    std::vector<TimeRange> all;
    for (const Part part : which) {
      const auto& some = parts[static_cast<std::size_t>(part)];
      all.insert(all.end(), some.begin(), some.end());
    }
    return merged(std::move(all));
  };
  const auto compute = union_of({Part::kCompute});
  const auto communication = union_of({Part::kCommunication});
  const auto copies = union_of({Part::kCopies});
  DeviceTime time;
  time.compute = length_of(compute);
  time.communication = length_of(communication);
  time.copies = length_of(copies);
  time.exposed_communication = length_of(subtracted(communication, compute));
  time.exposed_copies =
      length_of(subtracted(copies, union_of({Part::kCompute, Part::kCommunication})));
  if (time.communication > Nanos{0}) {
    time.overlap = 1 - static_cast<double>(time.exposed_communication.count()) /
                           static_cast<double>(time.communication.count());
  }
  const auto busy = union_of({Part::kCompute, Part::kCommunication, Part::kCopies});
  time.busy = length_of(busy);
  add_idle_classes(busy, &time);
  return time;
}

}  // namespace

std::size_t idle_class_of(Nanos gap) {
  return static_cast<std::size_t>(std::upper_bound(kIdleBorders.begin(), kIdleBorders.end(), gap) -
                                  kIdleBorders.begin());
}

std::vector<DeviceTime> device_times(const Timeline& timeline, const Selection& selection) {
  std::vector<DeviceTime> times;
  for (DeviceIndex device = 0; device < timeline.events.devices.size(); ++device) {
    std::array<std::vector<TimeRange>, 3> parts;
    std::optional<TimeRange> extent;
    for (const WorkIndex index : selection.work) {
      const DeviceSpan& work = timeline.events.device[index];
      if (timeline.device_of(work) != device || work.duration == Nanos{0}) continue;
      if (!extent) extent = TimeRange{work.start, work.end()};
      extent->end = std::max(extent->end, work.end());
      parts[static_cast<std::size_t>(part_of(timeline, work))].push_back({work.start, work.end()});
    }
    if (!extent) continue;
    DeviceTime time = time_of(parts);
    time.device = timeline.events.devices[device];
    time.extent = *extent;
    time.idle = time.span() - time.busy;
    time.streams = stream_waits(timeline, selection, device);
    times.push_back(std::move(time));
  }
  return times;
}

}  // namespace traceml
