#pragma once
// A device that exists only as a timeline: one in-order queue of work beside a host clock. Tests
// script its faults; a workload without a GPU can use it to show what the device clock shows.

#include <cstdint>
#include <map>
#include <vector>

#include "harness/ports/device_clock.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/mark_slots.h"

namespace traceml {

// What becomes of one mark, by the number of the mark() call (from 0).
enum class MarkFault {
  kLost,     // stays pending for ever
  kFails,    // query() says kFailed
  kRefused,  // mark() itself gives nullopt
};

class FakeDeviceClock final : public DeviceClock {
 public:
  // `host` must outlive the clock. The pool never grows.
  FakeDeviceClock(HostClock& host, std::uint32_t pool_size);

  // Scripts, before the first mark. A late mark is pending for `queries` more queries than its time
  // asks for.
  void script(std::int64_t mark_number, MarkFault fault);
  void script_late(std::int64_t mark_number, int queries);

  // Queues work behind what is queued: it begins when the queue is free and not before now.
  // Training thread.
  void enqueue(Nanos work) noexcept;

  // When the work queued so far will be done, on the host clock's scale. Training thread.
  Nanos busy_until() const noexcept { return tail_; }

  // What a captured graph does: records a reserved mark behind the work queued so far.
  void record_event(std::uintptr_t event) noexcept;

  std::optional<DeviceMark> mark(DeviceQueue queue) noexcept override;
  std::optional<DeviceMark> reserve() noexcept override;
  std::uintptr_t event_of(DeviceMark mark) const noexcept override { return mark.slot + 1; }
  MarkState query(DeviceMark mark) noexcept override;
  std::optional<Nanos> elapsed(DeviceMark from, DeviceMark to) noexcept override;
  void recycle(DeviceMark mark) noexcept override;
  DeviceClockCounters counters() const noexcept override { return free_.counters(); }

 private:
  struct Slot {
    Nanos reached_at{};
    int late_queries = 0;
    bool lost = false;
    bool fails = false;
    bool seen_final = false;
  };

  HostClock& host_;
  Nanos tail_{};
  MarkSlots free_;
  std::vector<Slot> slots_;
  std::map<std::int64_t, MarkFault> faults_;
  std::map<std::int64_t, int> late_;
  std::int64_t marks_ = 0;  // calls of mark()
};

}  // namespace traceml
