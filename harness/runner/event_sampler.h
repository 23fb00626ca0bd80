#pragma once
// The thread that resolves device marks while a window runs. It exists only for windows of arms
// that record device events; bare arms and runs without a device clock have none.

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/core/units.h"
#include "harness/ports/host_clock.h"
#include "harness/runner/mark_resolver.h"

namespace traceml {

class EventSampler {
 public:
  // Starts the thread. All arguments must outlive this.
  EventSampler(DeviceClock& device, HostClock& clock, const StepRecorder& recorder);
  ~EventSampler();  // stops without a drain
  EventSampler(const EventSampler&) = delete;
  EventSampler& operator=(const EventSampler&) = delete;

  // After the window: queries on until every mark is final or `limit` has passed on the host clock,
  // then gives up on the rest and ends the thread. Blocks that long at most.
  void drain(Nanos limit);

  // After drain().
  const std::vector<PhaseTimes>& times() const { return resolver_.times(); }
  std::int64_t unresolved() const { return resolver_.unresolved(); }

 private:
  void run();
  void finish(Nanos limit);

  HostClock& clock_;
  MarkResolver resolver_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::optional<Nanos> drain_limit_;
  std::thread thread_;
};

}  // namespace traceml
