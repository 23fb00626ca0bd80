#pragma once
// What one rank's trace of a few of its own steps holds, before it is written.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/operator_events.h"
#include "harness/core/phase.h"
#include "harness/core/records.h"
#include "harness/core/timeline_events.h"

namespace traceml {

struct RunTrace {
  Rank rank;
  int world_size = 1;
  // Calls and device work as they were collected, with the steps and phases of the training thread,
  // threads[0], as annotations. facts.own is set.
  TimelineEvents events;
  std::vector<OperatorSpan> operators{};  // indices of `events`; empty: none was asked for
  std::vector<StepRecord> steps;    // of the steps in the trace: phases on both clocks, memory
  std::vector<Nanos> step_ends;     // of each
  std::vector<InputRecord> inputs;  // batches that were made or taken in it
};

}  // namespace traceml
