#include "tests/codec/sample_parts.h"
#include "tests/codec/sample_runs.h"

namespace traceml::testing {
namespace {

struct Pipeline {
  const char* name;
  const char* workers;
  const char* scheduling;
  const char* dtype;
  const char* cache;
  double wait_ms;
  int reference;  // arm
};

constexpr Pipeline kPipelines[] = {
    {"baseline", "8", "per_batch", "float32", "warm", 51.8, 1},
    {"baseline_cold", "8", "per_batch", "float32", "cold", 64.2, 1},
    {"uint8", "8", "per_sample", "uint8", "warm", 2.3, 0},
    {"best", "4", "per_sample", "uint8", "warm", 0.02, 0},
};

ArmSummary reference_arm(int index, const std::string& name) {
  ArmSummary arm = instrumented_arm(index, name, kReference, 16);
  arm.fraction_of_reference = 1;
  arm.of_common = FractionFigure{index == 0 ? 1.0 : 0.9987, std::nullopt, 10};
  if (index != 0) arm.of_common->interval = Interval{0.9941, 1.0033};
  return arm;
}

}  // namespace

Sample inputs_run() {
  Sample sample = run_without_gates();
  CampaignFacts& facts = sample.plan.facts;
  CampaignSummary& summary = sample.summary;
  facts.arms = {arm_facts("reference_uint8", Instrument::kEvents, true),
                arm_facts("reference_float32", Instrument::kEvents, true)};
  summary.arms = {reference_arm(0, "reference_uint8"), reference_arm(1, "reference_float32")};
  for (const Pipeline& pipeline : kPipelines) {
    ArmFacts own = arm_facts(pipeline.name, Instrument::kEvents, false);
    own.reference = ArmIndex{pipeline.reference};
    own.settings = {{"input.source", "dataset"},
                    {"input.workers", pipeline.workers},
                    {"input.scheduling", pipeline.scheduling},
                    {"input.prefetch", "2"},
                    {"input.dtype", pipeline.dtype},
                    {"input.cache", pipeline.cache},
                    {"input.pinned", "true"},
                    {"input.copy", "async"}};
    facts.arms.push_back(own);
    ArmTimes times = kReference;
    times.input_wait += pipeline.wait_ms;
    times.wall += pipeline.wait_ms;
    const auto index = static_cast<int>(summary.arms.size());
    ArmSummary arm = instrumented_arm(index, pipeline.name, times, 16);
    const double fraction = kReference.wall / times.wall;
    arm.fraction_of_reference = fraction;
    arm.fraction_interval = Interval{fraction - 0.0082, fraction + 0.0077};
    arm.of_common =
        FractionFigure{fraction * 1.0004, Interval{fraction - 0.0091, fraction + 0.0086}, 10};
    summary.arms.push_back(std::move(arm));
  }
  summary.arms[2].long_waits = {40, Millis(16576), Millis(466), WaitRhythm{8, 34, 38}};
  summary.arms[3].long_waits = {96, Millis(24652), Millis(513.9), std::nullopt};
  summary.arms[4].long_waits = {3, Millis(22.4), Millis(9.1), std::nullopt};
  summary.common_reference = ArmIndex{0};
  return sample;
}

}  // namespace traceml::testing
