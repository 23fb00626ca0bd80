#pragma once
// Ends a run that hangs. A watchdog in each rank reads the positions that the training threads of
// its node write anyway.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "harness/core/units.h"
#include "harness/runner/position.h"

namespace traceml {

// How much longer than measure.step_timeout a slow stage may stand still, and a wait for others.
inline constexpr int kSlowFactor = 5;
inline constexpr double kWaitFactor = 1.25;

enum class StallKind {
  kStuck,      // the rank's training thread stays in one place
  kStopped,    // its process does not run
  kGone,       // its process has ended without a word
  kBehind,     // all wait, and it has come to fewer meetings than others
  kDeadlocked  // all ranks in sight wait for each other, or for one on another node
};

struct Stall {
  std::size_t who = 0;  // of Roll::ranks
  StallKind kind = StallKind::kStuck;
  Nanos still{};  // for so long
  friend bool operator==(const Stall&, const Stall&) = default;
};

// One look at a rank.
struct Sight {
  PositionView view;
  std::int64_t signs_of_life = 0;
  bool watched = true;  // false: it has not begun to be watched, or has left the run
  bool exists = true;   // its process; true where that cannot be told
};

// Whether anybody has stood still for too long, and who; pure. A rank that waits gets a quarter
// more time than one that works and then names the one it waits for, so that the sentence is about
// the rank that hangs, also where that one cannot speak.
class StallDetector {
 public:
  StallDetector(std::size_t own, bool complete) : own_(own), complete_(complete) {}

  // To be asked every now and then, with a monotonic `now`, by equal counts of sights.
  std::optional<Stall> look(const std::vector<Sight>& sights, Nanos now, Nanos limit);

  // Who has stood still for longest without waiting for others; else this rank.
  std::size_t slowest(const std::vector<Sight>& sights) const;

 private:
  struct Memory {
    PositionView view;
    std::int64_t signs_of_life = 0;
    Nanos moved{};         // when the view last changed
    Nanos lived{};         // when the last sign of life came
    bool existed = false;  // its process was seen once
    std::optional<Nanos> gone;
  };

  void remember(const std::vector<Sight>& sights, Nanos now, bool afresh);
  std::optional<Stall> stuck(const std::vector<Sight>& sights, Nanos now, Nanos limit) const;
  std::optional<Stall> whom_we_wait_for(const std::vector<Sight>& sights, Nanos now,
                                        Nanos limit) const;

  std::size_t own_;
  bool complete_;
  std::vector<Memory> memory_;
  Nanos last_look_{};
};

// The thread that asks.
class Watchdog {
 public:
  struct Limits {
    Nanos step{};                   // measure.step_timeout
    std::optional<Nanos> deadline;  // steady_clock, since its epoch
  };
  struct Listener {
    std::function<void(const Stall&)> on_stall;
    std::function<void(std::size_t who)> on_deadline;
  };

  // Calls one listener once, in its own thread, and then ends; what it throws is dropped. The
  // positions of `roll` outlive this.
  Watchdog(Roll roll, Limits limits, Listener listener);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void set_limits(const Limits& limits);
  void stop();  // blocks until its thread has ended; the destructor does it, too

 private:
  void run();
  bool look();  // false: somebody was told

  const Roll roll_;
  const Listener listener_;
  StallDetector detector_;
  std::vector<Sight> sights_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Limits limits_;
  bool changed_ = false;
  bool stop_ = false;
  std::thread thread_;
};

// steady_clock, since its epoch.
Nanos steady_now();

}  // namespace traceml
