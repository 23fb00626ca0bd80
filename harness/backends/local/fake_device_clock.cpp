#include "harness/backends/local/fake_device_clock.h"

#include <algorithm>

namespace traceml {

FakeDeviceClock::FakeDeviceClock(HostClock& host, std::uint32_t pool_size)
    : host_(host), slots_(pool_size), free_(pool_size), free_tail_(pool_size) {
  for (std::uint32_t slot = 0; slot < pool_size; ++slot) free_[slot] = slot;
}

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
    errored_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  const std::uint64_t head = free_head_.load(std::memory_order_relaxed);
  const std::uint64_t tail = free_tail_.load(std::memory_order_acquire);
  if (head == tail) {
    exhausted_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  const std::uint32_t index = free_[head % free_.size()];
  free_head_.store(head + 1, std::memory_order_relaxed);
  const auto out = static_cast<std::int64_t>(slots_.size() - (tail - head - 1));
  high_water_.store(std::max(high_water_.load(std::memory_order_relaxed),
                             out - retired_.load(std::memory_order_relaxed)),
                    std::memory_order_relaxed);

  Slot& slot = slots_[index];
  if (slot.used_before) reused_.fetch_add(1, std::memory_order_relaxed);
  const auto late = late_.find(number);
  slot = Slot{.reached_at = std::max(tail_, host_.now()),
              .late_queries = late == late_.end() ? 0 : late->second,
              .lost = fault != faults_.end() && fault->second == MarkFault::kLost,
              .fails = fault != faults_.end() && fault->second == MarkFault::kFails,
              .seen_final = false,
              .used_before = true};
  return DeviceMark{index};
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
    if (!slot.seen_final) errored_.fetch_add(1, std::memory_order_relaxed);
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
  if (!slots_[mark.slot].seen_final) {
    retired_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t tail = free_tail_.load(std::memory_order_relaxed);
  free_[tail % free_.size()] = mark.slot;
  free_tail_.store(tail + 1, std::memory_order_release);
}

DeviceClockCounters FakeDeviceClock::counters() const noexcept {
  return {.created = static_cast<std::int64_t>(slots_.size()),
          .reused = reused_.load(std::memory_order_relaxed),
          .high_water = high_water_.load(std::memory_order_relaxed),
          .exhausted = exhausted_.load(std::memory_order_relaxed),
          .errored = errored_.load(std::memory_order_relaxed)};
}

}  // namespace traceml
