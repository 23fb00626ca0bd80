#pragma once
// What one device did with the time from its first selected work to its last. Definitions: as
// TraceLens splits time (compute, exposed communication, exposed copies and idle add up to the
// span), as HolisticTraceAnalysis (HTA) counts overlap and the waits of a stream.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

// Idle of the device by the length of the gap. They add up to idle.
inline constexpr std::array<Nanos, 3> kIdleBorders = {
    std::chrono::microseconds(10), std::chrono::microseconds(100), std::chrono::milliseconds(1)};

struct IdleClass {
  std::int64_t gaps = 0;
  Nanos total{0};
};

// HTA's classes of the gaps of one stream. They overlap between streams: no idle of the device.
struct StreamWaits {
  std::string stream;
  std::int64_t events = 0;
  Nanos busy{0};
  Nanos host_wait{0};    // the next launch call began after the work before had ended
  Nanos kernel_wait{0};  // else, below 30 us
  Nanos other{0};
};

struct DeviceTime {
  std::string device;
  TimeRange extent;  // first start to last end: the span
  Nanos busy{0};     // union over all streams
  Nanos idle{0};
  Nanos compute{0};
  Nanos communication{0};          // all of it, hidden or not
  Nanos copies{0};                 // copies and memsets, hidden or not
  Nanos exposed_communication{0};  // not under compute
  Nanos exposed_copies{0};         // under neither
  std::optional<double> overlap;   // of communication under compute; null without communication
  std::array<IdleClass, kIdleBorders.size() + 1> idle_classes;
  std::vector<StreamWaits> streams;  // most work first

  Nanos span() const { return extent.end - extent.begin; }
};

// The first index of kIdleBorders that is not below `gap`.
std::size_t idle_class_of(Nanos gap);

// One entry a device with selected work, in the order of TimelineEvents::devices.
std::vector<DeviceTime> device_times(const Timeline& timeline, const Selection& selection);

}  // namespace traceml
