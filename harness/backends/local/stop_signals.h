#pragma once

#include <csignal>
#include <optional>

namespace traceml {

// While it lives, SIGINT, SIGTERM and SIGHUP do not end this process: they are kept until somebody
// asks. Made before any thread that should share this; one at a time. Not for processes that
// handle these signals otherwise.
class StopSignals {
 public:
  // Throws RunError.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The first of them that has come, if any; does not block. The second and later ones are dropped.
  std::optional<int> received();

  // Readable once one has come that received() has not told of.
  int descriptor() const { return descriptor_; }

  // The signal mask that children should have.
  const sigset_t& mask_before() const { return before_; }

 private:
  int descriptor_ = -1;
  std::optional<int> first_;
  sigset_t before_{};
};

}  // namespace traceml
