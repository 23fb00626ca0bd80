#pragma once
// A device whose time the workload sets: marks take the position at which it stands, so that device
// times are the planned ones, exactly. Every mark is reached at once, but for those to be lost.

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/backends/local/fake_device_clock.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/host_clock.h"

namespace traceml {

// A clock that stands where it was set. One thread sets it, any may ask.
class SetHostClock final : public HostClock {
 public:
  Nanos now() noexcept override { return Nanos{now_.load(std::memory_order_relaxed)}; }
  void set(Nanos now) noexcept { now_.store(now.count(), std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> now_{0};
};

class VirtualDeviceClock final : public DeviceClock {
 public:
  explicit VirtualDeviceClock(std::uint32_t pool_size);

  // Training thread.
  Nanos position() noexcept { return position_.now(); }
  void set_position(Nanos position) noexcept { position_.set(position); }
  void lose_next_mark() noexcept { lose_next_ = true; }  // it stays pending for ever
  void begin_window() noexcept { out_ = 0; }             // all marks have been given back

  std::optional<DeviceMark> mark(DeviceQueue queue) noexcept override;
  std::optional<DeviceMark> reserve() noexcept override { return fake_.reserve(); }
  std::uintptr_t event_of(DeviceMark mark) const noexcept override { return fake_.event_of(mark); }
  MarkState query(DeviceMark mark) noexcept override;
  std::optional<Nanos> elapsed(DeviceMark from, DeviceMark to) noexcept override;
  void recycle(DeviceMark mark) noexcept override;

  // high_water counts as if no mark were given back inside a window: what a slow sampler would see,
  // and the same in every run.
  DeviceClockCounters counters() const noexcept override;

 private:
  SetHostClock position_;
  FakeDeviceClock fake_;
  std::vector<char> lost_;  // by slot; a lost slot is never used again
  bool lose_next_ = false;
  std::int64_t out_ = 0;
  std::int64_t most_out_ = 0;
};

}  // namespace traceml
