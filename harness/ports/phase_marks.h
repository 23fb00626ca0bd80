#pragma once

#include <cstdint>

#include "harness/core/phase.h"

namespace traceml {

// How a workload says where a phase begins. Bare arms have none: a workload gets a null pointer and
// calls nothing. Training thread only; never blocks, allocates or throws.
class PhaseMarks {
 public:
  virtual ~PhaseMarks() = default;

  // Ends the running phase, if any, and begins `phase`, with one mark for both (phases that abut
  // share it).
  virtual void enter(Phase phase) noexcept = 0;

  // Ends the running phase and begins none: what follows is residual, or outside after the last
  // phase of a step.
  virtual void leave() noexcept = 0;

  // enter() and leave() of a phase whose border a captured graph records: the graph that is about
  // to be launched must record the returned event there (DeviceClock::event_of); 0: none, the
  // border has no device time. Such a border has no host time. An enter() or leave() after the
  // launch ends the graph's last phase, on the device alone.
  virtual std::uintptr_t enter_in_graph(Phase /*phase*/) noexcept { return 0; }
};

inline void enter(PhaseMarks* marks, Phase phase) noexcept {
  if (marks != nullptr) marks->enter(phase);
}

inline void leave(PhaseMarks* marks) noexcept {
  if (marks != nullptr) marks->leave();
}

}  // namespace traceml
