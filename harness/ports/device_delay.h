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

  // Slows down what is queued between the two: the second takes `fraction` of the device time since
  // the first was reached. One stretch at a time. False: it could not be queued.
  virtual bool begin_stretch(DeviceQueue queue) noexcept = 0;
  virtual bool end_stretch(DeviceQueue queue, double fraction) noexcept = 0;
};

}  // namespace traceml
