#include "harness/backends/local/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "harness/core/error.h"

namespace traceml {

StopSignals::StopSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  descriptor_ = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (descriptor_ < 0) {
    const int code = errno;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw RunError("cannot watch for signals: " + std::generic_category().message(code));
  }
}

StopSignals::~StopSignals() {
  received();  // none that has come may end this process now
  ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> StopSignals::received() {
  signalfd_siginfo signal{};
  while (::read(descriptor_, &signal, sizeof signal) == sizeof signal) {
    if (!first_) first_ = static_cast<int>(signal.ssi_signo);
  }
  return first_;
}

}  // namespace traceml
