#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/ports/device_clock.h"

namespace traceml {

// Which slots of a device clock's pool are free, and what DeviceClockCounters counts about it: a
// ring that one thread empties and another one fills, without a lock.
class MarkSlots {
 public:
  // All free. `size` may be 0.
  explicit MarkSlots(std::uint32_t size) : free_(size), tail_(size) {
    for (std::uint32_t slot = 0; slot < size; ++slot) free_[slot] = slot;
  }

  // The slot that take() will take. nullopt: none is free, which is counted. Training thread.
  std::optional<DeviceMark> next() noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) {
      add_one(exhausted_);
      return std::nullopt;
    }
    return DeviceMark{free_[head % free_.size()]};
  }

  // After next() has given a slot. Training thread.
  void take() noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head >= free_.size()) add_one(reused_);  // the first round hands out new ones
    head_.store(head + 1, std::memory_order_relaxed);
    const std::uint64_t back = tail_.load(std::memory_order_relaxed) - free_.size();
    const auto out = static_cast<std::int64_t>(head + 1 - back) - retired_.load(kRelaxed);
    high_water_.store(std::max(high_water_.load(kRelaxed), out), kRelaxed);
  }

  // Sampler thread.
  void give_back(DeviceMark mark) noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    free_[tail % free_.size()] = mark.slot;
    tail_.store(tail + 1, std::memory_order_release);
  }

  // The slot is never handed out again. Sampler thread.
  void retire() noexcept { add_one(retired_); }

  // Any thread.
  void count_error() noexcept { add_one(errored_); }

  DeviceClockCounters counters() const noexcept {
    return {.created = static_cast<std::int64_t>(free_.size()),
            .reused = reused_.load(kRelaxed),
            .high_water = high_water_.load(kRelaxed),
            .exhausted = exhausted_.load(kRelaxed),
            .errored = errored_.load(kRelaxed)};
  }

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;

  static void add_one(std::atomic<std::int64_t>& counter) noexcept {
    counter.fetch_add(1, kRelaxed);
  }

  std::vector<std::uint32_t> free_;
  std::atomic<std::uint64_t> head_{0};  // slots taken so far
  std::atomic<std::uint64_t> tail_;     // slots that were put in so far
  std::atomic<std::int64_t> reused_{0};
  std::atomic<std::int64_t> high_water_{0};
  std::atomic<std::int64_t> exhausted_{0};
  std::atomic<std::int64_t> errored_{0};
  std::atomic<std::int64_t> retired_{0};
};

}  // namespace traceml
