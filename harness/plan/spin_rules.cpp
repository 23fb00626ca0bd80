#include "harness/plan/spin_rules.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/nearest.h"

namespace traceml {

namespace {

void refuse_spin_keys(const Config& config, const ArmConfig& arm) {
  const Config view = seen_by(config, arm);
  const Config defaults;
  for (const ConfigKey& key : config_keys()) {
    if (!is_spin_key(key.path) || key.get(view) == key.get(defaults)) continue;
    throw UsageError(opening_for_arm(config, arm, key.path) + key.path +
                     " belongs to the model spin, but the arm " + shown(arm.name) + " trains " +
                     arm.workload.model + "; leave it out");
  }
  if (arm.workload.device == Device::kFake) {
    throw UsageError(opening_for(config, "workload.device") +
                     "workload.device: fake belongs to the model spin, but the arm " +
                     shown(arm.name) + " trains " + arm.workload.model + "; use cpu, cuda or auto");
  }
}

// Keys of training that would say of spin what it does not do.
void refuse_training_keys(const Config& config, const ArmConfig& arm) {
  const auto refuse = [&](const std::string& key, const std::string& instead) {
    throw UsageError(opening_for_arm(config, arm, key) + key + ": " +
                     text_of(seen_by(config, arm), key) + " belongs to training, but the arm " +
                     shown(arm.name) + " runs the model spin; " + instead);
  };
  const WorkloadConfig& workload = arm.workload;
  if (workload.device == Device::kCuda) refuse("workload.device", "use cpu, fake or auto");
  if (workload.execution != Execution::kEager) refuse("workload.execution", "leave it out");
  if (workload.exchange == Exchange::kNone) {
    refuse("workload.exchange", "set workload.allreduce_ms: 0");
  }
  if (arm.input.decode != Decode::kCpu) {
    refuse("input.decode", "set workload.phases_ms.decode or workload.loader_ms.decode");
  }
}

// What is refused here need not wait for the device that `auto` will find.
void refuse_cuda_keys(const Config& config, const ArmConfig& arm) {
  if (arm.workload.device != Device::kCpu) return;
  const auto refuse = [&](const std::string& key, const std::string& instead) {
    throw UsageError(opening_for_arm(config, arm, key) + key + ": " +
                     text_of(seen_by(config, arm), key) +
                     " needs CUDA, and workload.device is cpu; " + instead);
  };
  if (arm.workload.precision == Precision::kTf32) refuse("workload.precision", "use fp32 or bf16");
  if (arm.workload.execution == Execution::kGraph) refuse("workload.execution", "use eager");
  // Accepted, they would be listed as a difference between arms that is none.
  if (!arm.workload.cudnn_benchmark) refuse("workload.cudnn_benchmark", "leave it out");
  if (!arm.input.pinned) refuse("input.pinned", "leave it out");
  if (arm.input.pin_copy) refuse("input.pin_copy", "leave it out");
  if (arm.input.copy == Copy::kBlocking) refuse("input.copy", "leave it out");
}

// spin always has these; the others where they have a time.
bool occurs(const WorkloadConfig& workload, Phase phase) {
  return phase == Phase::kInputWait || phase == Phase::kForward || phase == Phase::kBackward ||
         phase == Phase::kOptimizer || workload.phases_ms[index_of(phase)] > 0;
}

void check_plants_of(const Config& config, const ArmConfig& arm) {
  for (const Plant& plant : arm.plants) {
    const std::string opening = opening_for_arm(config, arm, "plant");
    if (plant.kind == PlantKind::kLostEvent &&
        (!arm.workload.spins() || arm.workload.device == Device::kCpu)) {
      throw UsageError(opening + "plant " + text_of(plant) +
                       " needs the fake device, and the arm " + shown(arm.name) +
                       " does not run on it; use it with the model spin on device: fake");
    }
    if (plant.kind == PlantKind::kDelay && plant.on == DelayOn::kDevice &&
        (arm.workload.spins() || arm.workload.device == Device::kCpu)) {
      throw UsageError(opening + "plant " + text_of(plant) + " needs CUDA, and the arm " +
                       shown(arm.name) + " does not train on it; use on: host");
    }
    if (plant.kind == PlantKind::kLaunchEffect && !arm.workload.spins()) {
      throw UsageError(opening + "plant " + text_of(plant) +
                       " is for the model spin; a machine has such effects of its own");
    }
    if (arm.workload.spins() && plant.phase && !occurs(arm.workload, *plant.phase)) {
      const std::string phase(name_of(*plant.phase));
      throw UsageError(opening + "plant " + text_of(plant) + " never strikes: " + phase +
                       " does not occur; give it a time in workload.phases_ms." + phase);
    }
  }
}

bool strikes_once(const Plant& plant) {
  return plant.kind == PlantKind::kLostEvent || plant.kind == PlantKind::kFault;
}

void check_reach(const Plan& plan, const ArmConfig& arm, const Plant& plant) {
  const CampaignFacts& facts = plan.facts;
  const std::string opening = opening_for_arm(plan.config, arm, "plant");
  if (plant.rank && plant.rank->value >= facts.world_size) {
    throw UsageError(opening + "plant " + text_of(plant) + " never strikes: the run has " +
                     std::to_string(facts.world_size) +
                     (facts.world_size == 1 ? " rank" : " ranks") + ", counted from 0");
  }
  const std::int64_t windows =
      facts.max_blocks * static_cast<std::int64_t>(std::max<std::size_t>(facts.arms.size(), 1));
  if (plant.window.from && *plant.window.from >= windows) {
    throw UsageError(opening + "plant " + text_of(plant) + " never strikes: the run has at most " +
                     std::to_string(windows) + " windows, counted from 0");
  }
  const bool in_warm_up = plant.window.in_warm_up;
  const std::int64_t steps =
      in_warm_up ? facts.warmup_steps : facts.settle_steps + facts.steps_per_window;
  if (strikes_once(plant) && plant.step >= steps) {
    throw UsageError(opening + "plant " + text_of(plant) + " never strikes: " +
                     (in_warm_up ? "the warm-up" : "a window, settle steps included,") + " has " +
                     std::to_string(steps) + " steps, counted from 0");
  }
}

}  // namespace

bool is_spin_key(const std::string& path) {
  return path.starts_with("workload.phases_ms.") || path.starts_with("workload.loader_ms.") ||
         path == "workload.allreduce_ms" || path == "workload.noise" || path == "workload.clock";
}

void check_models(const Config& config) {
  for (const ArmConfig& arm : config.arms) {
    if (arm.workload.spins() != config.arms.front().workload.spins()) {
      throw UsageError(opening_for_arm(config, arm, "workload.model") + "the arm " +
                       shown(arm.name) + " runs " + arm.workload.model + " and the arm " +
                       shown(config.arms.front().name) + " " + config.arms.front().workload.model +
                       "; spin cannot share a launch with training");
    }
    if (arm.workload.spins()) {
      refuse_training_keys(config, arm);
    } else {
      refuse_spin_keys(config, arm);
      refuse_cuda_keys(config, arm);
    }
    check_plants_of(config, arm);
  }
}

int planted_period_of(const ArmConfig& arm) {
  int period = 1;
  for (const Plant& plant : arm.plants) {
    if (plant.kind != PlantKind::kStall && plant.kind != PlantKind::kDelay) continue;
    period = static_cast<int>(
        std::min<std::int64_t>(std::lcm<std::int64_t, std::int64_t>(period, plant.every), 1000000));
  }
  return period;
}

std::string trial_of(const Config& config) {
  std::string text;
  if (config.workload.clock == ClockKind::kVirtual) text = "virtual clock";
  const bool planted = std::any_of(config.arms.begin(), config.arms.end(),
                                   [](const ArmConfig& arm) { return !arm.plants.empty(); });
  if (planted) text += text.empty() ? "planted faults" : ", planted faults";
  return text;
}

bool has_fake_device(const Config& config) {
  const WorkloadConfig& workload = config.arms.front().workload;
  return workload.spins() && workload.device != Device::kCpu;
}

void check_plants(Plan* plan) {
  if (plan->config.arms.front().workload.clock == ClockKind::kVirtual) {
    plan->notes.push_back(
        "every time is simulated by a virtual clock: it says nothing of this machine.");
  }
  for (const ArmConfig& arm : plan->config.arms) {
    for (const Plant& plant : arm.plants) check_reach(*plan, arm, plant);
    if (arm.plants.empty() || arm.hidden) continue;
    plan->notes.push_back("planted in " + arm.name + ": " + plants_form().print(arm.plants) + ".");
  }
}

}  // namespace traceml
