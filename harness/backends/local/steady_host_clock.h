#pragma once

#include <chrono>

#include "harness/ports/host_clock.h"

namespace traceml {

class SteadyHostClock final : public HostClock {
 public:
  Nanos now() noexcept override {
    return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace traceml
