#pragma once
// What a sample costs its worker, stage by stage: consecutive readings of one clock, so that the
// stages add up to the whole.

#include <cstdint>

#include "harness/core/units.h"

namespace traceml {

// The two clocks of a worker; any thread, never blocks.
class StageClock {
 public:
  virtual ~StageClock() = default;
  virtual Nanos now() const noexcept = 0;         // that of the harness's host clock
  virtual Nanos thread_cpu() const noexcept = 0;  // of the calling thread
};

// The machine's.
const StageClock& real_stage_clock();

// One sample; written by the worker that makes it.
struct StageTimes {
  Nanos begun{};
  Nanos done{};  // end of the stage that ended last
  Nanos read{};
  Nanos decode{};
  Nanos resize{};  // flip and normalisation included
  Nanos cpu{};
  Nanos slot_wait{};    // of the worker, just before
  Nanos engine_wait{};  // of the worker, for the GPU's JPEG engines; no part of cost() nor of cpu
  std::int64_t sample = 0;

  Nanos cost() const { return read + decode + resize; }
};

// Reads the clock at the end of each stage of one sample. Without times it does nothing at all.
class StageWatch {
 public:
  StageWatch() = default;
  // Both outlive the watch. The sample begins.
  StageWatch(const StageClock& clock, StageTimes* times) : clock_(&clock), times_(times) {
    cpu_at_begin_ = clock.thread_cpu();
    times->begun = times->done = clock.now();
  }

  void is_of(std::int64_t sample) {
    if (times_ != nullptr) times_->sample = sample;
  }

  void end(Nanos StageTimes::*stage) {
    if (times_ == nullptr) return;
    const Nanos now = clock_->now();
    times_->*stage += now - times_->done;
    times_->done = now;
  }

  void end_sample() {
    if (times_ != nullptr) times_->cpu = clock_->thread_cpu() - cpu_at_begin_;
  }

 private:
  const StageClock* clock_ = nullptr;
  StageTimes* times_ = nullptr;
  Nanos cpu_at_begin_{};
};

}  // namespace traceml
