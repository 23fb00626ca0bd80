#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "harness/backends/local/stop_signals.h"
#include "harness/core/units.h"

namespace traceml {

// A thread that sleeps until SIGINT, SIGTERM or SIGHUP comes, or until a part of the run that
// nothing else watches has taken too long. Made before MPI starts its threads.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // What is done from now on when a signal comes, in the thread; it should not return. Empty: one
  // sentence, and the process ends.
  void on_signal(std::function<void(int signal)> action);

  // The process ends with `sentence` and code 4, unless this is called again, with another limit or
  // none, before `limit` has passed.
  void expect_within(Seconds limit, std::string sentence);
  void expect_nothing();

 private:
  void run();
  void wake();
  bool handle_signal();
  int milliseconds_to_wait();  // -1: for ever; 0: it is time

  StopSignals signals_;
  int bell_ = -1;  // an eventfd
  std::mutex mutex_;
  std::function<void(int)> action_;
  std::optional<Nanos> deadline_;  // steady_clock
  std::string sentence_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace traceml
