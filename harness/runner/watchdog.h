#pragma once
// Ends a run whose training thread stays in one place for too long (measure.step_timeout). It only
// reads the position that the training thread writes anyway.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/core/units.h"
#include "harness/runner/position.h"

namespace traceml {

// When a position counts as stuck; pure. Waiting for others gets a quarter more time, so that the
// rank that hangs is named before those that wait for it.
class StallDetector {
 public:
  explicit StallDetector(Nanos limit) : limit_(limit) {}

  // To be asked every now and then, with a monotonic `now`.
  bool stalled(const PositionView& view, Nanos now);

 private:
  Nanos limit_;
  std::optional<PositionView> last_;
  Nanos since_{};
};

class Watchdog {
 public:
  // Calls on_stall once, in its own thread; what it throws is dropped. `position` must outlive
  // this.
  Watchdog(const Position& position, Nanos limit,
           std::function<void(const PositionView&)> on_stall);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void run();

  const Position& position_;
  Nanos limit_;
  std::function<void(const PositionView&)> on_stall_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace traceml
