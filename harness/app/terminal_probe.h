#pragma once

namespace traceml {

// Where the text of a standard stream ends up. mpirun gives its ranks a pseudo-terminal even when
// its own output goes to a file, so under a launcher the launcher's stream decides, where it can be
// seen.
struct StreamSink {
  bool terminal = false;
  int columns = 0;  // 0: unknown
};

// descriptor: STDOUT_FILENO or STDERR_FILENO.
StreamSink probe_stream(int descriptor);

}  // namespace traceml
