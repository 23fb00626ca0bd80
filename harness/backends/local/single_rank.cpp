#include "harness/backends/local/single_rank.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace traceml {

void SingleTransport::fail(const std::string& sentence, ExitCode code) {
  static std::atomic<bool> printed{false};
  if (printed.exchange(true)) {
    // Another thread is ending the process; leave it the time to print.
    std::this_thread::sleep_for(std::chrono::seconds(1));
  } else {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", sentence.c_str());
    std::fflush(stderr);
  }
  std::_Exit(value_of(code));
}

}  // namespace traceml
