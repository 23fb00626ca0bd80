#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

// Stretches of at least kRules.silence in which a thread that launches device work recorded nothing
// inside its innermost range, no CUDA call either: it waited, or did what the profiler does not
// see. By thread and range, within the span of the selected device work. total = hidden + exposed.
struct HostSilence {
  std::string thread;
  std::string inside;  // the innermost range, operator or frame; empty: none was open
  std::int64_t count = 0;
  Nanos total{0}, longest{0};
  Nanos hidden{0};   // while a device of the trace worked
  Nanos exposed{0};  // while none did
};

// Most exposed first. Of a thread with nothing open only the main one counts.
std::vector<HostSilence> host_silences(const Timeline& timeline, const Selection& selection);

}  // namespace traceml
