#include "harness/ports/process_runner.h"

#include <array>
#include <cstdio>
#include <cstring>

namespace traceml {
namespace {

std::string in_words(int signal) {
  const char* name = sigabbrev_np(signal);
  const std::string number = "signal " + std::to_string(signal);
  return name == nullptr ? number : number + " (SIG" + name + ")";
}

std::string in_seconds(Nanos duration) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%g s", Seconds(duration).count());
  return text.data();
}

}  // namespace

std::string describe_end(const ProcessRequest& request, const ProcessResult& result) {
  switch (result.end) {
    case ProcessEnd::kExited:
      return "ended with exit code " + std::to_string(result.exit_code);
    case ProcessEnd::kKilled:
      return "was killed by " + in_words(result.signal);
    case ProcessEnd::kTimedOut:
      return "took longer than its " + in_seconds(request.time_limit.value_or(result.wall));
    case ProcessEnd::kStopped:
      break;
  }
  return "was stopped by " + in_words(result.signal);
}

}  // namespace traceml
