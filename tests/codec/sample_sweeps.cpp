// Sweeps as the analysis judges them: invented wall times, so that every figure belongs to the
// others.

#include "harness/analysis/campaign.h"
#include "harness/codec/config_file.h"
#include "tests/analysis/synthetic_campaign.h"
#include "tests/codec/sample_runs.h"

namespace traceml::testing {
namespace {

struct SettingTimes {
  double step_ms = 0;
  double input_wait_ms = 0;
};

// `times` by arm of the plan: settings, then references.
Sample sample_of(const std::string& sweep, const std::vector<SettingTimes>& times, double noise) {
  Sample sample = passed_run();
  sample.plan = make_plan(read_config_text(
                              R"(name: food101-loader
question: What is the cheapest loader that keeps two ranks fed?
seed: 7
workload: {model: resnet18, batch_size: 8, image_size: 64, device: cpu}
input: {dataset: food-101, prefetch: 2}
measure: {steps: 8}
sweep: )" + sweep + "\n",
                              "sweep.yaml", {}),
                          2);
  synthetic::Campaign campaign;
  campaign.arms.clear();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const ArmFacts& facts = sample.plan.facts.arms.at(i);
    synthetic::Arm arm;
    arm.name = facts.name;
    arm.step_ms = times[i].step_ms;
    arm.input_wait_ms = times[i].input_wait_ms;
    campaign.arms.push_back(arm);
  }
  campaign.world_size = 2;
  campaign.steps = sample.plan.facts.steps_per_window;
  campaign.settle_steps = sample.plan.facts.settle_steps;
  campaign.noise = noise;
  campaign.with_steps = true;
  campaign.seed = 11;
  sample.summary = summarize_campaign(sample.plan.facts, synthetic::records_of(campaign));
  return sample;
}

}  // namespace

Sample swept_run() {
  return sample_of("{arm: shipped, margin: 2%, over: {input.workers: [0, 1, 2, 4]}}",
                   {{231, 61}, {184, 14}, {171.2, 0.4}, {171, 0.3}, {170.4, 0}}, .002);
}

Sample open_sweep() {
  return sample_of(
      "{arm: shipped, margin: 1%, over: {input.workers: [1, 2], input.dtype: [uint8, float32]}}",
      {{173.4, 3}, {184, 14}, {171, 0.4}, {171.3, 0.3}, {170.4, 0}, {169.2, 0}}, .004);
}

}  // namespace traceml::testing
