#pragma once
// How a rank's run is watched and how it ends when it fails: with one sentence of one rank of the
// node, on standard error, that says where and why.

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/ports/transport.h"
#include "harness/runner/position.h"
#include "harness/runner/watchdog.h"

namespace traceml {

std::string name_of_signal(int signal);  // "SIGTERM"

// What is done about a failure beside telling it; by the rank that tells it, in any thread.
struct FailureActs {
  // Ends the sentence: what is left of the run. Does no input or output.
  std::function<std::string(bool any_window_stored)> what_is_left;
  // After the sentence is printed. Must not throw.
  std::function<void(const std::string& sentence, bool any_window_stored)> after_words;
};

// From its construction to its destruction no rank of the node can hang for longer than the limits
// allow.
class RunWatch {
 public:
  // `transport` and the positions outlive this.
  RunWatch(Transport& transport, Roll roll);
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // The training thread's to write.
  Position& position() { return roll_.own_position(); }

  // Once the config is known. Before that a step may take 15 s, as it were, and no arm has a name.
  void set_arms(std::vector<std::string> names);
  void set_step_timeout(Seconds limit);
  void set_acts(FailureActs acts);
  // Run before a failing process ends, once the sentence is printed or another rank's to print
  // (Collective::abort). Must not throw, and must return within two seconds.
  void set_abort(std::function<void()> abort);

  // The run is ended where it is when `limit` has passed since the construction of this, or at
  // `not_before`, steady_clock, if that is later.
  void set_time_limit(Seconds limit);
  void put_off_deadline(Nanos not_before);
  void lift_deadline();
  bool is_late() const;  // `limit` has passed

  // Ends all ranks. "rank 1, arm shipped, window 3: CAUSE; WHAT IS LEFT". Any thread.
  [[noreturn]] void fail(const std::string& cause, ExitCode code);
  // The same with a sentence that says where by itself, or where all ranks fail alike.
  [[noreturn]] void fail_with(const std::string& sentence, ExitCode code);

  // Prints a sentence that all ranks agree on, with what is left, and acts; the ranks then end in
  // good order.
  void tell(const std::string& sentence);

  // This process was told to stop by a signal. Names a rank of the node that has ended without a
  // word, if there is one: launchers end the others so.
  [[noreturn]] void interrupted(int signal);

  bool any_window_stored() const;

 private:
  [[noreturn]] void fail_at(std::size_t who, PositionView view, const std::string& cause,
                            ExitCode code);
  PositionView view_of(std::size_t who) const { return roll_.ranks[who].position->view(); }
  void on_stall(const Stall& stall);
  void on_deadline(std::size_t who);
  FailureActs acts() const;
  void abort_exchange() const;
  void renew_limits();  // under mutex_

  Transport& transport_;
  const Roll roll_;
  const Nanos begun_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<std::string> arm_names_;
  FailureActs acts_;
  std::function<void()> abort_;
  Nanos step_timeout_;
  std::optional<Nanos> time_limit_;
  Nanos not_before_{};
  std::atomic<bool> told_{false};  // a thread of this rank is ending the run
  Watchdog watchdog_;              // last: its thread uses the others
};

}  // namespace traceml
