#pragma once

#include <chrono>

#include "harness/core/units.h"

namespace traceml {

// A monotonic clock of this process. Real: std::chrono::steady_clock (about 30 ns a call); fakes
// step by hand.
class HostClock {
 public:
  virtual ~HostClock() = default;
  // Thread-safe; never blocks.
  virtual Nanos now() noexcept = 0;
};

// What takes times of a clock that runs with real time to Unix time, as of now.
inline Nanos unix_base(HostClock& clock) {
  const auto unix_time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Nanos>(unix_time) - clock.now();
}

}  // namespace traceml
