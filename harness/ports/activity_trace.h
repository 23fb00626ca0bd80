#pragma once

#include <string>

#include "harness/core/timeline_events.h"

namespace traceml {

// Collects every activity of the device and its calls for a few steps (CUPTI). Off before warm_up()
// or begin() and after end() or stop(). Training thread.
class ActivityTrace {
 public:
  virtual ~ActivityTrace() = default;

  // "CUPTI".
  virtual std::string name() const = 0;

  // Switches tracing on; what is recorded until begin() is thrown away. Throws RunError with one
  // sentence: the library is absent, tracing is not permitted, another tool holds it.
  virtual void warm_up() = 0;

  // From here on activities are kept; switches tracing on where it is off. Waits for all work that
  // any stream of the device has queued: it is not kept. Throws as warm_up(), or RunError for an
  // error of that work; tracing is off then.
  virtual void begin() = 0;

  // Waits for the device's work and switches tracing off, also when it throws, as begin() does.
  // Calls (kCall, kOverhead) and device work since begin(); times are the host clock's
  // (steady_clock), `base` takes them to Unix time; on a virtual clock, which all ranks share, it
  // is 0. threads[0] is the calling thread. facts.own says how the collection went.
  virtual TimelineEvents end() = 0;

  // Switches tracing off; what was recorded is thrown away. Returns the bytes of it: 0 where it was
  // off.
  virtual std::int64_t stop() noexcept = 0;
};

}  // namespace traceml
