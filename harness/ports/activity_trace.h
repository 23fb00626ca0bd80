#pragma once

#include <string>

namespace traceml {

// Collects every device activity of a few steps (CUPTI). Off outside begin() .. end().
class ActivityTrace {
 public:
  virtual ~ActivityTrace() = default;

  // Begins to collect. Throws NotBuilt or RunError ("not permitted", another subscriber).
  virtual void begin() = 0;

  // Stops collecting and writes the trace to `path`, outside every window.
  virtual void end(const std::string& path) = 0;
};

}  // namespace traceml
