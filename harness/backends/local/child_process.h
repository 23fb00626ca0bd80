#pragma once
// Programs as children of this process.

#include "harness/backends/local/stop_signals.h"
#include "harness/ports/process_runner.h"

namespace traceml {

// Each program runs in a process group of its own, with default signals and without this process's
// descriptors, except those that are made to be inherited. It gets SIGTERM when this process dies.
class LocalProcessRunner final : public ProcessRunner {
 public:
  // `stop`, if given, outlives this; once it has received a signal the running program is ended
  // and no other one is started (both kStopped).
  explicit LocalProcessRunner(StopSignals* stop = nullptr) : stop_(stop) {}

  ProcessResult run(const ProcessRequest& request) override;

 private:
  StopSignals* stop_;
};

}  // namespace traceml
