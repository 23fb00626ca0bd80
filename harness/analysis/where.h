#pragma once
// Where in the step two arms differ: a diagnosis, never a verdict.

#include "harness/analysis/arm_summary.h"
#include "harness/analysis/summary.h"

namespace traceml {

// Candidate minus baseline for each phase, the residual and what lies outside the step, means over
// ranks on a clock that both tables have; largest first. A phase that one arm never has costs
// nothing there. Empty where an arm has no table or they have no clock in common.
std::vector<PhaseDifference> differences_between(const ArmAnalysis& candidate,
                                                 const ArmAnalysis& baseline);

// "the difference lies outside the step: +1.234 ms ..." where T_b's difference and the step's (max
// over ranks, common clock) disagree by more than the margin; else empty (docs/statistics.md, 2.1).
std::string outside_the_step(const GateResult& gate, const ArmAnalysis& candidate,
                             const ArmAnalysis& baseline);

}  // namespace traceml
