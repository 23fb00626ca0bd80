#include "harness/app/terminal_style.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/app/terminal_probe.h"

namespace traceml {

TerminalStyle style_of_stdout() {
  TerminalStyle style;
  const StreamSink sink = probe_stream(STDOUT_FILENO);
  if (sink.columns > 0) style.columns = std::max(80, sink.columns);
  style.colour = sink.terminal && std::getenv("NO_COLOR") == nullptr;
  return style;
}

}  // namespace traceml
