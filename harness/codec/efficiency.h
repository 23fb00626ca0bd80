#pragma once
// How much of a device's arithmetic an arm's training uses.

#include <optional>
#include <string>

#include "harness/analysis/summary.h"
#include "harness/plan/environment.h"
#include "harness/plan/plan.h"

namespace traceml {

struct Efficiency {
  double flop_per_image = 0;               // forward and backward of the model's own layers
  double tflop_per_s = 0;                  // of one rank: its images a second, times that
  std::optional<double> peak_tflop_per_s;  // dense, of the arm's precision; null: unknown device
  std::string peak_source;
  std::optional<double> mfu;  // tflop_per_s / peak; null without a peak
  // Nothing is computed twice, so that hardware FLOP are those of the model.
  std::optional<double> hfu() const { return mfu; }
};

// nullopt for an arm without a time, and for what trains no model. The device is the fact
// "gpu_model".
std::optional<Efficiency> efficiency_of(const Plan& plan, const Environment& environment,
                                        const ArmSummary& arm);

}  // namespace traceml
