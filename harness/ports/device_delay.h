#pragma once

#include "harness/core/units.h"
#include "harness/ports/device_clock.h"

namespace traceml {

// Keeps a device busy: planted faults.
class DeviceDelay {
 public:
  virtual ~DeviceDelay() = default;

  // Queues work that takes `duration` and little else of the device. Allocates nothing. Throws
  // RunError.
  virtual void enqueue(DeviceQueue queue, Nanos duration) = 0;
};

}  // namespace traceml
