#pragma once
// The gaps of a device, between its first and its last selected work: no work on any of its
// streams, selected or not. With the time of `unselected` work they are its idle time.

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

struct Gap {
  TimeRange when;
  WorkIndex before = 0;               // the last work to end
  WorkIndex after = 0;                // the first to start
  std::optional<HostIndex> launch;    // the call that caused `after`, and so ended the gap
  std::optional<ThreadIndex> thread;  // that made it

  Nanos length() const { return when.end - when.begin; }
};

struct DeviceGaps {
  std::vector<Gap> gaps;        // by time
  std::int64_t unselected = 0;  // device events between the first and the last selected one
};

// `device` is an index of TimelineEvents::devices.
DeviceGaps gaps_of(const Timeline& timeline, const Selection& selection, DeviceIndex device);

// What a thread did in a window, by where most of it went. Names; empty: nothing of that kind fills
// kRules.whereabouts_share of it.
struct Whereabouts {
  std::string phase, operation, call, frame;
  Nanos silent{0};        // the longest stretch without a recorded event in the innermost range
  std::string silent_in;  // that range
};

Whereabouts whereabouts_of(const Timeline& timeline, ThreadIndex thread, TimeRange window);

// The thread that made the launch, in the part of the gap before it did.
Whereabouts whereabouts_in(const Timeline& timeline, const Gap& gap);

// "main thread", "thread 4377 (pt_autograd_0)".
std::string thread_in_words(const Timeline& timeline, ThreadIndex thread);

// What other threads had open for longest in a window: "thread 77: cudaEventQuery". At most `most`.
std::vector<std::string> others_in(const Timeline& timeline, ThreadIndex thread, TimeRange window,
                                   std::size_t most);

}  // namespace traceml
