#pragma once

#include <atomic>
#include <cstdint>

#include "harness/ports/host_clock.h"

namespace traceml {

// Stands still until it is advanced; counts its calls.
class ManualClock final : public HostClock {
 public:
  Nanos now() noexcept override {
    calls_.fetch_add(1, std::memory_order_relaxed);
    return Nanos(now_.fetch_add(tick_, std::memory_order_relaxed));
  }
  void advance(Nanos by) noexcept { now_.fetch_add(by.count(), std::memory_order_relaxed); }
  // Each later call of now() moves the clock on by `by`.
  void tick(Nanos by) noexcept { tick_ = by.count(); }
  std::int64_t calls() const noexcept { return calls_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> now_{0};
  std::atomic<std::int64_t> calls_{0};
  std::int64_t tick_ = 0;
};

}  // namespace traceml
