#include "harness/runner/watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace traceml {

bool StallDetector::stalled(const PositionView& view, Nanos now) {
  if (!last_ || view != *last_) {
    last_ = view;
    since_ = now;
    return false;
  }
  if (view.stage == Stage::kUnwatched) return false;
  const Nanos limit = view.stage == Stage::kBarrier ? limit_ + limit_ / 4 : limit_;
  return now - since_ >= limit;
}

Watchdog::Watchdog(const Position& position, Nanos limit,
                   std::function<void(const PositionView&)> on_stall)
    : position_(position),
      limit_(limit),
      on_stall_(std::move(on_stall)),
      thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::run() {
  const Nanos pause =
      std::clamp<Nanos>(limit_ / 8, std::chrono::milliseconds(1), std::chrono::milliseconds(500));
  StallDetector detector(limit_);
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, pause, [this] { return stop_; })) return;
    }
    const PositionView view = position_.view();
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    if (!detector.stalled(view, std::chrono::duration_cast<Nanos>(now))) continue;
    try {
      on_stall_(view);
    } catch (...) {
      // A transport that cannot end the process has told the other ranks by now.
    }
    return;
  }
}

}  // namespace traceml
