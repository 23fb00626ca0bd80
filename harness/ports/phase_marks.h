#pragma once

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
};

inline void enter(PhaseMarks* marks, Phase phase) noexcept {
  if (marks != nullptr) marks->enter(phase);
}

inline void leave(PhaseMarks* marks) noexcept {
  if (marks != nullptr) marks->leave();
}

}  // namespace traceml
