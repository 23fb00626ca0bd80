#pragma once
// Turns device marks into device times, without a thread of its own: the sampler and tests call
// pass().

#include <cstdint>
#include <vector>

#include "harness/ports/device_clock.h"
#include "harness/runner/step_recorder.h"

namespace traceml {

class MarkResolver {
 public:
  // For the window that `recorder` is recording; both must outlive this.
  MarkResolver(DeviceClock& clock, const StepRecorder& recorder);

  enum class Reach {
    kOldest,  // stops after a few marks that are pending: those behind them mostly are too
    kAll,
  };

  // Queries marks of ended steps, oldest first, and gives a step's marks back once all of them are
  // final. Never blocks. Returns whether no mark of an ended step is pending.
  bool pass(Reach reach);

  // Makes every pending mark null, counts it, and gives all marks back.
  void give_up();

  // Device times of the steps seen so far; a phase is null where one of its marks is missing.
  const std::vector<PhaseTimes>& times() const { return times_; }
  std::int64_t unresolved() const { return unresolved_; }

 private:
  enum class State : std::uint8_t { kNoMark, kPending, kReached, kFailed, kUnresolved };

  void take_up_new_steps();
  MarkState query(std::uint32_t border) noexcept;
  void settle(std::size_t step);

  DeviceClock& clock_;
  const StepRecorder& recorder_;
  std::vector<State> states_;              // by border
  std::vector<std::uint32_t> owner_;       // border -> step
  std::vector<std::uint32_t> open_marks_;  // by step: marks that are pending
  std::vector<std::uint32_t> pending_;     // borders with a pending mark, oldest first
  std::vector<PhaseTimes> times_;
  std::int64_t unresolved_ = 0;
};

}  // namespace traceml
