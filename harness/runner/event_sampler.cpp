#include "harness/runner/event_sampler.h"

#include <chrono>

namespace traceml {

EventSampler::EventSampler(DeviceClock& device, HostClock& clock, const StepRecorder& recorder)
    : clock_(clock), resolver_(device, recorder), thread_([this] { run(); }) {}

EventSampler::~EventSampler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void EventSampler::drain(Nanos limit) {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    drain_limit_ = limit;
  }
  wake_.notify_one();
  thread_.join();
}

void EventSampler::run() {
  constexpr std::chrono::milliseconds kPause{1};
  constexpr int kFullPassEvery = 16;  // so that marks that never resolve hide nothing for long
  std::optional<Nanos> limit;
  for (int passes = 0;; ++passes) {
    const bool full = passes % kFullPassEvery == 0;
    resolver_.pass(full ? MarkResolver::Reach::kAll : MarkResolver::Reach::kOldest);
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, kPause, [this] { return stop_; })) {
      limit = drain_limit_;
      break;
    }
  }
  if (limit) finish(*limit);
}

void EventSampler::finish(Nanos limit) {
  constexpr std::chrono::microseconds kPause{200};
  const Nanos deadline = clock_.now() + limit;
  while (!resolver_.pass(MarkResolver::Reach::kAll) && clock_.now() < deadline) {
    std::this_thread::sleep_for(kPause);
  }
  resolver_.give_up();
}

}  // namespace traceml
