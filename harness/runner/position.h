#pragma once
// Where a rank is, for the sentence of a failure. The rank writes its own with relaxed stores; its
// watchdog and those of the other ranks of its node read it.

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/phase.h"

namespace traceml {

enum class Stage : std::uint8_t {
  kStart,     // config, data sets, folders
  kPrepare,   // Workload::prepare and contract
  kBegin,     // Workload::begin
  kStep,      // inside Workload::step
  kFinish,    // Workload::finish
  kBarrier,   // between steps: ranks meet
  kEnd,       // Workload::end
  kStore,     // raw files of a window
  kConclude,  // gathering at the end
  kReport,    // judging, writing reports
};

// Stages whose length depends on data sets and disks: they get more time than a step.
constexpr bool is_slow(Stage stage) {
  return stage == Stage::kStart || stage == Stage::kPrepare || stage >= Stage::kStore;
}

// One look at a position. Fields may come from neighbouring moments.
struct PositionView {
  Stage stage = Stage::kStart;
  std::optional<ArmIndex> arm;
  std::optional<WindowIndex> window;  // nullopt: warm-up
  std::int64_t step = 0;
  std::optional<Phase> phase;  // nullopt between phases and in bare arms
  std::int64_t entries = 0;    // how often a stage was entered, or progress made inside one
  bool waiting = false;        // for other ranks
  std::int64_t meetings = 0;   // waits so far
  std::int64_t windows = 0;    // stored
  friend bool operator==(const PositionView&, const PositionView&) = default;
};

// Lives in memory that is zero: an untouched one reads as a new one.
class Position {
 public:
  // Training thread.
  void enter_arm(ArmIndex arm, std::optional<WindowIndex> window) noexcept {
    set(arm_, arm.value + 1);
    set(window_, window ? window->value + 1 : 0);
  }
  void leave_arm() noexcept { set(arm_, 0); }
  void enter(Stage stage) noexcept {
    stage_.store(stage, std::memory_order_relaxed);
    make_progress();
  }
  void make_progress() noexcept { set(entries_, get(entries_) + 1); }
  void at_step(std::int64_t step) noexcept { set(step_, step); }
  void store_window() noexcept { set(windows_, get(windows_) + 1); }
  void begin_wait() noexcept {
    set(meetings_, get(meetings_) + 1);
    set(waiting_, 1);
  }
  void end_wait() noexcept { set(waiting_, 0); }
  void leave_run() noexcept { set(process_, 0); }        // what it does from now on is not watched
  std::atomic<int>& phase() noexcept { return phase_; }  // 0: none, else 1 + Phase

  // Watchdog thread, in the rank's own process.
  void give_sign_of_life(pid_t process) noexcept {
    if (get(process_) != process) set(process_, process);
    set(signs_of_life_, get(signs_of_life_) + 1);
  }

  PositionView view() const noexcept;
  std::int64_t signs_of_life() const noexcept { return get(signs_of_life_); }
  pid_t process() const noexcept { return static_cast<pid_t>(get(process_)); }  // 0: not watched

 private:
  using Number = std::atomic<std::int64_t>;
  static_assert(Number::is_always_lock_free, "processes share these");

  static std::int64_t get(const Number& number) noexcept {
    return number.load(std::memory_order_relaxed);
  }
  static void set(Number& number, std::int64_t value) noexcept {
    number.store(value, std::memory_order_relaxed);
  }

  std::atomic<Stage> stage_{};
  std::atomic<int> phase_{};
  Number arm_{};     // 0: none, else 1 + index
  Number window_{};  // 0: none, else 1 + index
  Number step_{};
  Number entries_{};
  Number waiting_{};
  Number meetings_{};
  Number windows_{};
  Number signs_of_life_{};
  Number process_{};
};

struct RankPosition {
  Rank rank;
  Position* position = nullptr;
};

// The positions that a process can see: its own and those of the other ranks of its node.
struct Roll {
  std::vector<RankPosition> ranks;  // not empty
  std::size_t own = 0;              // of `ranks`
  bool complete = true;             // false: there are ranks on other nodes

  Position& own_position() const { return *ranks[own].position; }
};

// "rank 1, arm shipped, window 3, step 4, phase backward".
std::string describe(Rank rank, const PositionView& view,
                     const std::vector<std::string>& arm_names);

}  // namespace traceml
