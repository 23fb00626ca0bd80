#pragma once
// Records where phases begin and end, on the host and in the device's queue (docs/clocks.md,
// Recording). Everything is allocated before a window; the training thread then only stores.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/core/phase.h"
#include "harness/core/records.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/phase_marks.h"
#include "harness/ports/workload.h"

namespace traceml {

// A point in a step where one phase ends and another begins; one clock call and at most one device
// mark.
struct Border {
  std::optional<Nanos> host;  // nullopt: a captured graph passes it
  std::optional<DeviceMark> mark;
  std::optional<Phase> begins;  // nullopt: what follows is no phase
};

// The borders of one step: first .. first + count of StepRecorder::borders().
struct StepBorders {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool overflowed = false;  // more borders than fit: the step's record is dropped and counted
  std::optional<MemoryPeaks> memory;  // its peaks in this step
};

using PhaseTimes = std::array<std::optional<Nanos>, kPhaseCount>;

class StepRecorder final : public PhaseMarks {
 public:
  static constexpr std::uint32_t kBordersPerStep = 48;  // room for phases called several times

  // The phase that runs is shown in `shown`, if given: 0 for none, else 1 + Phase.
  StepRecorder(HostClock& clock, std::size_t max_steps, std::atomic<int>* shown = nullptr);

  // What one for that many steps holds.
  static constexpr std::size_t bytes_for(std::size_t max_steps) {
    return max_steps * (kBordersPerStep * sizeof(Border) + sizeof(StepBorders));
  }

  // Forgets all steps. Marks go to `device`, or none are made where it is null. No sampler may read
  // meanwhile.
  void begin_window(DeviceClock* device, DeviceQueue queue) noexcept;

  // Training thread; no locks, no allocation.
  void begin_step() noexcept;
  void enter(Phase phase) noexcept override;
  void leave() noexcept override;
  std::uintptr_t enter_in_graph(Phase phase) noexcept override;
  void end_step(std::optional<MemoryPeaks> memory = std::nullopt) noexcept;

  // The phase that runs now. Any thread.
  std::optional<Phase> current_phase() const noexcept;

  // What the sampler may read: steps that have ended, and their borders.
  std::size_t published_steps() const noexcept {
    return published_.load(std::memory_order_acquire);
  }
  const StepBorders& step(std::size_t index) const { return steps_[index]; }
  const Border& border(std::size_t index) const { return borders_[index]; }
  std::size_t border_capacity() const { return borders_.size(); }
  std::size_t step_capacity() const { return steps_.size(); }

  // Records of the steps since begin_window(). `device_times[i]` are those of step i; none at all
  // where no device clock was used. Steps from `first_timed` on are timed. Allocates.
  std::vector<StepRecord> records(ArmIndex arm, std::optional<WindowIndex> window,
                                  std::int64_t first_step, std::int64_t first_timed,
                                  const std::vector<PhaseTimes>& device_times) const;

  // Steps without a record since construction: too many borders, or none at all.
  std::int64_t dropped() const { return dropped_; }

 private:
  Border* add_border(std::optional<Phase> begins) noexcept;  // null: it does not fit
  void record(std::optional<Phase> begins) noexcept;

  HostClock& clock_;
  DeviceClock* device_ = nullptr;
  DeviceQueue queue_;
  std::vector<Border> borders_;
  std::vector<StepBorders> steps_;
  std::uint32_t used_borders_ = 0;
  StepBorders step_{};
  std::int64_t dropped_ = 0;
  std::atomic<std::size_t> published_{0};
  static constexpr int kNoPhase = 0;
  std::atomic<int> own_phase_{kNoPhase};
  std::atomic<int>& phase_;
};

// Calls visit(phase, from, to) for each stretch of a step that a phase covers, as border indices,
// and once for kTraced: from the end of the last input_wait to the end of the last phase.
template <class Visit>
void for_each_span(const StepRecorder& recorder, const StepBorders& step, Visit&& visit) {
  std::optional<std::uint32_t> traced_from;
  std::optional<std::uint32_t> traced_to;
  for (std::uint32_t i = step.first; i + 1 < step.first + step.count; ++i) {
    const std::optional<Phase> phase = recorder.border(i).begins;
    if (!phase) continue;
    visit(*phase, i, i + 1);
    if (*phase == Phase::kInputWait) {
      traced_from = i + 1;
    } else {
      traced_to = i + 1;
    }
  }
  if (traced_from && traced_to && *traced_from < *traced_to) {
    visit(Phase::kTraced, *traced_from, *traced_to);
  }
}

// Sums a phase's stretches; one stretch without a time makes the phase's time null.
class PhaseSums {
 public:
  void add(Phase phase, std::optional<Nanos> time) noexcept {
    const std::size_t i = index_of(phase);
    if (!seen_[i]) {
      seen_[i] = true;
      times_[i] = time;
    } else if (times_[i] && time) {
      *times_[i] += *time;
    } else {
      times_[i] = std::nullopt;
    }
  }
  bool seen(Phase phase) const noexcept { return seen_[index_of(phase)]; }
  const PhaseTimes& times() const noexcept { return times_; }

 private:
  std::array<bool, kPhaseCount> seen_{};
  PhaseTimes times_{};
};

}  // namespace traceml
