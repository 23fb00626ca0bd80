#pragma once
// The events of one process in order, with what follows from them alone: which span lies inside
// which, and which call caused which device work.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/analysis/time_ranges.h"
#include "harness/core/timeline_events.h"

namespace traceml {

using HostIndex = std::uint32_t;  // of Timeline::events.host
using WorkIndex = std::uint32_t;  // of Timeline::events.device

// Spans from which no time can be told; left out but for `empty`.
struct TimelineFaults {
  std::int64_t negative = 0;       // durations below zero
  std::int64_t empty = 0;          // device work of no duration: kept, and no time of it is counted
  std::int64_t absurd = 0;         // device work longer, or farther from its call, than any is
  std::int64_t absurd_host = 0;    // host spans longer than any is
  std::int64_t too_long = 0;       // work so long that with the rest it leaves 64 bits
  std::int64_t too_long_host = 0;  // the same of host spans
  std::int64_t too_deep = 0;       // host spans inside kRules.deepest_stack others
};

struct Timeline {
  TimelineEvents events;  // host: by thread, start, longest first; device: by start
  TimelineFaults faults;
  std::vector<std::optional<HostIndex>>
      parent;                             // of each host span: the innermost around most of it
  std::vector<std::size_t> thread_begin;  // of each thread in events.host, and its end
  std::vector<std::optional<HostIndex>> launch;  // of each device span: the call that caused it
  std::optional<ThreadIndex> main_thread;        // that of the steps, else of most annotations

  std::string_view name_of(const HostSpan& span) const { return events.names[span.name]; }
  std::string_view name_of(const DeviceSpan& span) const { return events.names[span.name]; }
  DeviceIndex device_of(const DeviceSpan& span) const { return events.streams[span.stream].device; }
};

Timeline make_timeline(TimelineEvents events);

// A stretch of one thread and the innermost span that was open all through it, if any.
struct Stretch {
  TimeRange when;
  std::optional<HostIndex> innermost;
};

// The stretches that fill `window` on `thread`, in order.
std::vector<Stretch> stretches_of(const Timeline& timeline, ThreadIndex thread, TimeRange window);

// The innermost span of `thread` that is open at `when`.
std::optional<HostIndex> open_at(const Timeline& timeline, ThreadIndex thread, Nanos when);

// `span`, or the innermost one around it, that is of this kind.
std::optional<HostIndex> innermost_of(const Timeline& timeline, std::optional<HostIndex> span,
                                      HostKind kind);

// The innermost annotation around `span` that is no ProfilerStep: the user's name for the phase.
std::optional<HostIndex> phase_around(const Timeline& timeline, std::optional<HostIndex> span);

// That of a thread at a time; of a thread without annotations (autograd's) that of the main thread.
std::optional<HostIndex> phase_at(const Timeline& timeline, ThreadIndex thread, Nanos when);

}  // namespace traceml
