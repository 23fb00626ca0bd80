#pragma once
// Arms and gates with plausible figures, made by hand: two CPU ranks, a small ResNet, 16 images a
// step.

#include <string>
#include <vector>

#include "harness/analysis/summary.h"

namespace traceml::testing {

// Milliseconds per step.
struct ArmTimes {
  double wall, input_wait, h2d, normalize, forward, loss, backward, optimizer, outside;
};

constexpr ArmTimes kReference{171.62, 0.012, 0.004, 1.31, 58.31, 0.42, 97.61, 13.02, 0.11};
constexpr ArmTimes kShipped{175.48, 2.71, 0.004, 1.34, 58.52, 0.43, 98.44, 13.11, 0.12};

Distribution around(double mean_ms);
// Ten windows of 48 steps whose mean is this.
std::vector<WindowWall> windows_around(double mean_ms);
ArmSummary instrumented_arm(int index, const std::string& name, const ArmTimes& times,
                            double global_batch);
ArmFacts arm_facts(const std::string& name, Instrument instrument, bool input_free);
// A loader of two batches ahead on two ranks; workers 0: none.
InputSummary input_of_arm(int workers, const ArmTimes& times);
GateSpec gate_spec(const std::string& name, GateKind kind, int candidate, int baseline);

// half_width: of the deciding interval of theta.
GateResult gate_from(const GateSpec& spec, Outcome outcome, double theta, double half_width);

}  // namespace traceml::testing
