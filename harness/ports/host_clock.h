#pragma once

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

}  // namespace traceml
