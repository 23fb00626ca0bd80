#include "harness/backends/local/virtual_device_clock.h"

#include <algorithm>

namespace traceml {

VirtualDeviceClock::VirtualDeviceClock(std::uint32_t pool_size)
    : fake_(position_, pool_size), lost_(pool_size, 0) {}

std::optional<DeviceMark> VirtualDeviceClock::mark(DeviceQueue queue) noexcept {
  const auto mark = fake_.mark(queue);
  if (!mark) return mark;
  most_out_ = std::max(most_out_, ++out_);
  if (lose_next_) lost_[mark->slot] = 1;
  lose_next_ = false;
  return mark;
}

MarkState VirtualDeviceClock::query(DeviceMark mark) noexcept {
  return lost_[mark.slot] != 0 ? MarkState::kPending : fake_.query(mark);
}

std::optional<Nanos> VirtualDeviceClock::elapsed(DeviceMark from, DeviceMark to) noexcept {
  return fake_.elapsed(from, to);
}

// A lost mark was never seen final, so the inner clock retires its slot.
void VirtualDeviceClock::recycle(DeviceMark mark) noexcept {
  fake_.recycle(mark);
}

DeviceClockCounters VirtualDeviceClock::counters() const noexcept {
  DeviceClockCounters counters = fake_.counters();
  counters.high_water = most_out_;
  return counters;
}

}  // namespace traceml
