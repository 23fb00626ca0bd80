#include "harness/backends/local/fake_device_clock.h"

#include <algorithm>

namespace traceml {

FakeDeviceClock::FakeDeviceClock(HostClock& host, std::uint32_t pool_size)
    : host_(host), free_(pool_size), slots_(pool_size) {}

void FakeDeviceClock::script(std::int64_t mark_number, MarkFault fault) {
  faults_[mark_number] = fault;
}

void FakeDeviceClock::script_late(std::int64_t mark_number, int queries) {
  late_[mark_number] = queries;
}

void FakeDeviceClock::enqueue(Nanos work) noexcept {
  tail_ = std::max(tail_, host_.now()) + work;
}

std::optional<DeviceMark> FakeDeviceClock::mark(DeviceQueue) noexcept {
  const std::int64_t number = marks_++;
  const auto fault = faults_.find(number);
  if (fault != faults_.end() && fault->second == MarkFault::kRefused) {
    free_.count_error();
    return std::nullopt;
  }
  const auto mark = free_.next();
  if (!mark) return std::nullopt;
  free_.take();
  const auto late = late_.find(number);
  slots_[mark->slot] = Slot{.reached_at = std::max(tail_, host_.now()),
                            .late_queries = late == late_.end() ? 0 : late->second,
                            .lost = fault != faults_.end() && fault->second == MarkFault::kLost,
                            .fails = fault != faults_.end() && fault->second == MarkFault::kFails,
                            .seen_final = false};
  return mark;
}

std::optional<DeviceMark> FakeDeviceClock::reserve() noexcept {
  return mark({});
}

void FakeDeviceClock::record_event(std::uintptr_t event) noexcept {
  slots_[event - 1].reached_at = std::max(tail_, host_.now());
}

MarkState FakeDeviceClock::query(DeviceMark mark) noexcept {
  Slot& slot = slots_[mark.slot];
  if (slot.lost) return MarkState::kPending;
  if (slot.fails) {
    if (!slot.seen_final) free_.count_error();
    slot.seen_final = true;
    return MarkState::kFailed;
  }
  if (host_.now() < slot.reached_at) return MarkState::kPending;
  if (slot.late_queries > 0) {
    --slot.late_queries;
    return MarkState::kPending;
  }
  slot.seen_final = true;
  return MarkState::kReached;
}

std::optional<Nanos> FakeDeviceClock::elapsed(DeviceMark from, DeviceMark to) noexcept {
  const Slot& first = slots_[from.slot];
  const Slot& second = slots_[to.slot];
  const bool reached = first.seen_final && !first.fails && second.seen_final && !second.fails;
  if (!reached) return std::nullopt;
  return second.reached_at - first.reached_at;
}

void FakeDeviceClock::recycle(DeviceMark mark) noexcept {
  if (slots_[mark.slot].seen_final) {
    free_.give_back(mark);
  } else {
    free_.retire();
  }
}

}  // namespace traceml
