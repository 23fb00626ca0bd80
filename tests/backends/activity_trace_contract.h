#pragma once
// One suite for every ActivityTrace: activity_trace_contract.cpp is compiled into the test program
// of each back-end, which says what devices it has.

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/ports/activity_trace.h"

namespace traceml {

// A device that can be traced, with empty queues.
class TracedDevice {
 public:
  virtual ~TracedDevice() = default;
  virtual ActivityTrace& trace() = 0;
  virtual void launch(Nanos work) = 0;         // one kernel, behind what is queued
  virtual void launch_beside(Nanos work) = 0;  // one kernel on another stream
  virtual void finish() = 0;                   // returns when the first queue is empty
  virtual Nanos now() = 0;                     // the host's clock
};

struct ActivityTraceCase {
  std::string name;
  std::string why_not;  // not empty: there is no such device here
  std::function<std::unique_ptr<TracedDevice>()> make;
};

inline void PrintTo(const ActivityTraceCase& device, std::ostream* out) {
  *out << device.name;
}

// Defined by each test program.
std::vector<ActivityTraceCase> activity_trace_cases();

}  // namespace traceml
