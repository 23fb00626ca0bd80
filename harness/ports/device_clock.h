#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/units.h"

namespace traceml {

// An opaque execution queue of a device (a CUDA stream); 0 is the host itself.
struct DeviceQueue {
  std::uintptr_t handle = 0;
  friend bool operator==(const DeviceQueue&, const DeviceQueue&) = default;
};

// A recorded point in a device queue: a slot of the clock's pool.
struct DeviceMark {
  std::uint32_t slot = 0;
  friend bool operator==(const DeviceMark&, const DeviceMark&) = default;
};

enum class MarkState { kPending, kReached, kFailed };

// What happened to the pool since it was made; all of it is reported.
struct DeviceClockCounters {
  std::int64_t created = 0;
  std::int64_t reused = 0;
  std::int64_t high_water = 0;  // most marks out at once
  std::int64_t exhausted = 0;   // marks refused because the pool was empty
  std::int64_t errored = 0;
};

// A pool of timing events on one device. mark() runs on the training thread; query(), elapsed() and
// recycle() on the sampler thread. A mark is out from mark() until recycle().
class DeviceClock {
 public:
  virtual ~DeviceClock() = default;

  // Records a point behind all work queued so far. Never blocks, allocates or takes a lock.
  // nullopt: the pool is exhausted or the record failed (both counted).
  virtual std::optional<DeviceMark> mark(DeviceQueue queue) noexcept = 0;

  // Takes a slot for a mark that something else records: a node of a captured graph, by event_of().
  // nullopt as mark(). Until the record is known to lie in a queue, by a later mark there that was
  // reached, query() may answer for an earlier use of the slot.
  virtual std::optional<DeviceMark> reserve() noexcept = 0;

  // The vendor's event behind a mark (a cudaEvent_t); 0 where there is none.
  virtual std::uintptr_t event_of(DeviceMark mark) const noexcept = 0;

  // Has the device passed the mark? Never blocks. kFailed is final for that mark.
  virtual MarkState query(DeviceMark mark) noexcept = 0;

  // Device time between two reached marks; nullopt if either failed.
  virtual std::optional<Nanos> elapsed(DeviceMark from, DeviceMark to) noexcept = 0;

  // Returns the mark to the pool. A mark that was neither reached nor failed may be recycled: its
  // event is retired, not reused.
  virtual void recycle(DeviceMark mark) noexcept = 0;

  virtual DeviceClockCounters counters() const noexcept = 0;
};

}  // namespace traceml
