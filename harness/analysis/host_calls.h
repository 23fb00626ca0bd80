#pragma once
// CUDA calls of the host that waited: which of them, where, and what else went on.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/analysis/idle_causes.h"

namespace traceml {

// Calls of one name at one place that return only when the device has done something.
struct WaitingCalls {
  std::string call;       // "cudaStreamSynchronize"
  std::string phase;      // the annotation around it; empty: none
  std::string operation;  // the operator that made it; empty: none
  std::int64_t count = 0;
  std::int64_t in_steps = 0;  // of them: began within the ProfilerStep ranges
  Nanos total{0}, longest{0};
};

// Synchronising calls and copy calls that ended with their copy; most time first.
std::vector<WaitingCalls> waiting_calls(const Timeline& timeline, const Situations& situations,
                                        const Selection& selection);

// Calls of at least kRules.long_call on a thread that launches device work, by name and place.
struct BlockedCall {
  std::string thread, name;
  Whereabouts where;  // phase, operator, frame around them
  std::int64_t count = 0;
  Nanos total{0};
  TimeRange longest;
  std::vector<std::string> others;  // what other threads had open in the longest
};

// Most time first, at most `most` places; `count` and `total` are of all.
struct BlockedCalls {
  std::int64_t count = 0;
  Nanos total{0};
  std::vector<BlockedCall> places;
};
BlockedCalls blocked_calls(const Timeline& timeline, const Selection& selection, std::size_t most);

}  // namespace traceml
