#include "harness/codec/efficiency.h"

#include <cstddef>

#include "harness/plan/model_flops.h"

namespace traceml {

std::optional<Efficiency> efficiency_of(const Plan& plan, const Environment& environment,
                                        const ArmSummary& arm) {
  const auto index = static_cast<std::size_t>(arm.arm.value);
  if (!arm.images_per_s || index >= plan.config.arms.size() || plan.facts.commands) {
    return std::nullopt;
  }
  const WorkloadConfig& workload = plan.config.arms[index].workload;
  const auto flop = training_flop_per_image(workload);
  if (!flop) return std::nullopt;
  Efficiency efficiency;
  efficiency.flop_per_image = *flop;
  efficiency.tflop_per_s = *arm.images_per_s / plan.facts.world_size * *flop * 1e-12;
  const auto model = environment.facts.find("gpu_model");
  if (model == environment.facts.end()) return efficiency;
  const auto peak = dense_peak(model->second, workload.precision);
  if (!peak) return efficiency;
  efficiency.peak_tflop_per_s = peak->tflop_per_s;
  efficiency.peak_source = peak->source;
  efficiency.mfu = efficiency.tflop_per_s / peak->tflop_per_s;
  return efficiency;
}

}  // namespace traceml
