#pragma once
// One suite for every DeviceClock: device_clock_contract.cpp is compiled into the test program of
// each back-end, which says what clocks it has.

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/ports/device_clock.h"

namespace traceml {

// A device with a clock and an empty queue.
class ClockedDevice {
 public:
  virtual ~ClockedDevice() = default;
  virtual DeviceClock& clock() = 0;
  virtual DeviceQueue queue() = 0;
  virtual void enqueue(Nanos work) = 0;  // behind what is queued
  virtual void finish() = 0;             // returns when the queue is empty
};

struct DeviceClockCase {
  std::string name;
  std::string why_not;  // not empty: there is no such device here
  bool queues = true;   // false: work is done at once, so that no mark is pending
  std::function<std::unique_ptr<ClockedDevice>(std::uint32_t marks)> make;
};

inline void PrintTo(const DeviceClockCase& device, std::ostream* out) {
  *out << device.name;
}

// Defined by each test program.
std::vector<DeviceClockCase> device_clock_cases();

}  // namespace traceml
