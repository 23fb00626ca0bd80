#include "harness/app/signal_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/error_line.h"
#include "harness/runner/run_watch.h"

namespace traceml {
namespace {

[[noreturn]] void end_process(const std::string& sentence) {
  print_error_line("traceml-bench: " + sentence);
  std::_Exit(value_of(ExitCode::kRunFailed));
}

}  // namespace

SignalWatch::SignalWatch() : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_ < 0) throw RunError("cannot make an eventfd: too many open files?");
  thread_ = std::thread([this] { run(); });
}

SignalWatch::~SignalWatch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake();
  thread_.join();
  ::close(bell_);
}

void SignalWatch::on_signal(std::function<void(int)> action) {
  const std::lock_guard lock(mutex_);
  action_ = std::move(action);
}

void SignalWatch::expect_within(Seconds limit, std::string sentence) {
  {
    const std::lock_guard lock(mutex_);
    deadline_ = steady_now() + std::chrono::duration_cast<Nanos>(limit);
    sentence_ = std::move(sentence);
  }
  wake();
}

void SignalWatch::expect_nothing() {
  const std::lock_guard lock(mutex_);
  deadline_ = std::nullopt;
}

void SignalWatch::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(bell_, &one, sizeof one);
}

int SignalWatch::milliseconds_to_wait() {
  const std::lock_guard lock(mutex_);
  if (!deadline_) return -1;
  const Nanos left = *deadline_ - steady_now();
  if (left <= Nanos{0}) return 0;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

// False where there was none.
bool SignalWatch::handle_signal() {
  const std::optional<int> signal = signals_.received();
  if (!signal) return false;
  std::function<void(int)> action;
  {
    const std::lock_guard lock(mutex_);
    action = action_;
  }
  if (action) {
    action(*signal);
    return true;
  }
  end_process(fmt::format("stopped by {} before the run began", name_of_signal(*signal)));
}

void SignalWatch::run() {
  std::array<pollfd, 2> sources = {{{signals_.descriptor(), POLLIN, 0}, {bell_, POLLIN, 0}}};
  while (true) {
    const int wait_ms = milliseconds_to_wait();
    if (wait_ms == 0) {
      const std::lock_guard lock(mutex_);
      end_process(sentence_);
    }
    ::poll(sources.data(), sources.size(), wait_ms);
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t read = ::read(bell_, &rung, sizeof rung);
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
    }
    if (handle_signal()) return;
  }
}

}  // namespace traceml
