#pragma once
// Errors carry their exit code and one sentence: what, where, what to do.

#include <stdexcept>
#include <string>

namespace traceml {

// The codes that scripts rely on; others (1, 128 + signal) come from mpirun and are never a
// verdict.
enum class ExitCode : int {
  kPass = 0,
  kUsage = 2,         // command line or config
  kRunFailed = 4,     // a rank, MPI, NCCL, CUDA, the data set, a time limit, an unmet `require`
  kRegression = 10,   // a gate failed
  kInconclusive = 11  // no gate failed, at least one has no verdict
};

constexpr int value_of(ExitCode code) {
  return static_cast<int>(code);
}

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

class UsageError : public Error {
 public:
  explicit UsageError(const std::string& sentence) : Error(ExitCode::kUsage, sentence) {}
};

class RunError : public Error {
 public:
  explicit RunError(const std::string& sentence) : Error(ExitCode::kRunFailed, sentence) {}
};

// Thrown by absent variants of a back-end or workload (x_absent.cpp).
class NotBuilt : public UsageError {
 public:
  NotBuilt(const std::string& what, const std::string& cmake_option)
      : UsageError(what + " is not built into this binary; configure with -D" + cmake_option +
                   "=ON") {}
};

}  // namespace traceml
