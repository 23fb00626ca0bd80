#pragma once

#include <cstdint>

#include "harness/core/operator_events.h"

namespace traceml {

// Records the operators that a framework runs, on whatever thread, for a few steps. Off, and at no
// cost, before begin() and after end(). Training thread.
class OperatorTrace {
 public:
  virtual ~OperatorTrace() = default;

  // Operators that begin from here on are kept, in room for about `steps` steps that is made now.
  virtual void begin(std::int64_t steps) = 0;

  // Switches recording off. Operators since begin(), times of the host clock (steady_clock);
  // threads as the system numbers them.
  virtual OperatorEvents end() = 0;
};

}  // namespace traceml
