#pragma once
// Where a rank is, for the sentence of a failure. The training thread writes it with relaxed
// stores; the watchdog reads it.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/phase.h"

namespace traceml {

enum class Stage : std::uint8_t {
  kUnwatched,  // preparation, storing, gathering: may take long
  kBegin,      // Workload::begin
  kStep,       // inside Workload::step
  kFinish,     // Workload::finish
  kBarrier,    // waiting for other ranks
  kEnd,        // Workload::end
};

// One look at a position. Fields may come from neighbouring moments.
struct PositionView {
  Stage stage = Stage::kUnwatched;
  std::optional<ArmIndex> arm;
  std::optional<WindowIndex> window;  // nullopt: warm-up
  std::int64_t step = 0;
  std::int64_t entries = 0;  // how often a stage was entered
  friend bool operator==(const PositionView&, const PositionView&) = default;
};

class Position {
 public:
  void enter_arm(ArmIndex arm, std::optional<WindowIndex> window) noexcept {
    arm_.store(arm.value, std::memory_order_relaxed);
    window_.store(window ? window->value : kNone, std::memory_order_relaxed);
  }
  void leave_arm() noexcept { arm_.store(static_cast<int>(kNone), std::memory_order_relaxed); }
  void enter(Stage stage) noexcept {
    stage_.store(stage, std::memory_order_relaxed);
    entries_.store(entries_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void at_step(std::int64_t step) noexcept { step_.store(step, std::memory_order_relaxed); }

  PositionView view() const noexcept;

 private:
  static constexpr std::int64_t kNone = -1;  // inside the atomics only; view() gives nullopt

  std::atomic<Stage> stage_{Stage::kUnwatched};
  std::atomic<int> arm_{static_cast<int>(kNone)};
  std::atomic<std::int64_t> window_{kNone};
  std::atomic<std::int64_t> step_{0};
  std::atomic<std::int64_t> entries_{0};
};

// "rank 1, arm shipped, window 3, step 4, phase backward". `phase` is nullopt between phases and in
// bare arms.
std::string describe(Rank rank, const PositionView& view, std::optional<Phase> phase,
                     const std::vector<std::string>& arm_names);

}  // namespace traceml
