#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/units.h"

namespace traceml {

// A program to start. No shell reads it.
struct ProcessRequest {
  std::vector<std::string> argv;  // argv[0] with a slash is a path, without one is sought in PATH
  std::string working_directory;  // empty: that of this process
  std::vector<std::pair<std::string, std::string>> environment;  // beside or over the own one
  // Where its streams go: files, made anew. Empty: kept for the tail alone. Both may name the same
  // file, which then holds both in the order of writing. Standard input is /dev/null.
  std::string output_file;
  std::string error_file;
  std::optional<Nanos> time_limit;         // SIGTERM after it, SIGKILL after `grace` more
  Nanos grace = std::chrono::seconds{10};  // also after a stop that this process was asked for
  std::size_t tail_bytes = 16384;
};

enum class ProcessEnd {
  kExited,    // by itself, with an exit code
  kKilled,    // by a signal of somebody else
  kTimedOut,  // by us, at its time limit
  kStopped    // by us, for this process was asked to stop
};

struct ProcessResult {
  ProcessEnd end = ProcessEnd::kExited;
  int exit_code = 0;        // of kExited; otherwise 0
  int signal = 0;           // kKilled: its own; kStopped: that which asked this process to stop
  Nanos wall{};             // from before the start to the end, steady clock
  std::string output_tail;  // the last tail_bytes of each stream
  std::string error_tail;   // empty where both streams share a file: see output_tail

  bool succeeded() const { return end == ProcessEnd::kExited && exit_code == 0; }
};

// Starts programs and waits for them.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  // Blocks until the program has ended; what is left of its process group is killed then. Throws
  // UsageError where it cannot be started (no such program, no such folder), RunError where the
  // system refuses a process or a file. One call at a time.
  virtual ProcessResult run(const ProcessRequest& request) = 0;
};

// "ended with exit code 3", "was killed by signal 9 (SIGKILL)", "took longer than its 5 s", ...
std::string describe_end(const ProcessRequest& request, const ProcessResult& result);

}  // namespace traceml
