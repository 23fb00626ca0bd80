#include "workloads/spin/plant_rules.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "harness/core/error.h"

namespace traceml {
namespace {

Nanos nanos(Millis time) {
  return std::chrono::round<Nanos>(time);
}

bool is_due(const Plant& plant, std::int64_t step) {
  return (step + 1) % plant.every == 0;
}

bool is_due(const Plant& plant, const StepPlace& place) {
  if (place.step != plant.step) return false;
  if (!place.window) return plant.window.in_warm_up;
  return !plant.window.in_warm_up && place.window->value >= plant.window.from.value_or(0);
}

}  // namespace

double progress_of(const CampaignFacts& facts, const StepPlace& place) noexcept {
  if (!place.window) return 0;
  const auto steps = static_cast<double>(facts.settle_steps + facts.steps_per_window);
  const double windows = facts.max_blocks * static_cast<double>(facts.arms.size());
  const double done =
      static_cast<double>(place.window->value) + static_cast<double>(place.step) / steps;
  return done / windows;
}

double drift_of(const Plants& plants, double progress) noexcept {
  double factor = 1;
  for (const Plant& plant : plants) {
    if (plant.kind == PlantKind::kDrift) factor *= 1 + plant.fraction * progress;
  }
  return factor;
}

double launch_effect_of(const Plants& plants) noexcept {
  double squares = 0;
  for (const Plant& plant : plants) {
    if (plant.kind == PlantKind::kLaunchEffect) squares += plant.fraction * plant.fraction;
  }
  return std::sqrt(squares);
}

double stretch_of(const Plants& plants, Phase phase, double progress) noexcept {
  double factor = drift_of(plants, progress);
  if (phase != Phase::kForward && phase != Phase::kBackward) return factor;
  for (const Plant& plant : plants) {
    if (plant.kind == PlantKind::kSlowdown) factor *= 1 + plant.fraction;
  }
  return factor;
}

Nanos stall_of(const Plants& plants, Phase phase, std::int64_t step) noexcept {
  Nanos sum{0};
  for (const Plant& plant : plants) {
    const bool strikes = plant.kind == PlantKind::kStall && plant.phase == phase;
    if (strikes && is_due(plant, step)) sum += nanos(plant.time);
  }
  return sum;
}

Nanos delay_of(const Plants& plants, Rank rank, std::int64_t step, DelayOn on) noexcept {
  Nanos sum{0};
  for (const Plant& plant : plants) {
    const bool strikes = plant.kind == PlantKind::kDelay && plant.rank == rank && plant.on == on;
    if (strikes && is_due(plant, step)) sum += nanos(plant.time);
  }
  return sum;
}

Nanos untracked_of(const Plants& plants) noexcept {
  Nanos sum{0};
  for (const Plant& plant : plants) {
    if (plant.kind == PlantKind::kUntracked) sum += nanos(plant.time);
  }
  return sum;
}

OneTimePlants::OneTimePlants(const Config& config, Rank rank) {
  for (const ArmConfig& arm : config.arms) {
    arms_.emplace_back();
    for (const Plant& plant : arm.plants) {
      const bool once = plant.kind == PlantKind::kFault || plant.kind == PlantKind::kLostEvent;
      if (once && plant.rank == rank) arms_.back().push_back({plant});
    }
  }
}

const Plant* OneTimePlants::strike(PlantKind kind, const StepPlace& place) noexcept {
  for (Armed& armed : arms_[static_cast<std::size_t>(place.arm.value)]) {
    if (armed.struck || armed.plant.kind != kind || !is_due(armed.plant, place)) continue;
    armed.struck = true;
    return &armed.plant;
  }
  return nullptr;
}

std::optional<DueFault> OneTimePlants::fault(const StepPlace& place) noexcept {
  const Plant* plant = strike(PlantKind::kFault, place);
  if (plant == nullptr) return std::nullopt;
  return DueFault{plant->how, plant->phase, plant->at_all_reduce};
}

std::optional<Phase> OneTimePlants::lost_event(const StepPlace& place) noexcept {
  const Plant* plant = strike(PlantKind::kLostEvent, place);
  return plant == nullptr ? std::nullopt : plant->phase;
}

void commit(FaultHow how) {
  constexpr int kOwnCode = 3;  // no code that the harness has
  switch (how) {
    case FaultHow::kThrow:
      throw RunError("planted fault: throw");
    case FaultHow::kExit:
      std::_Exit(kOwnCode);
    case FaultHow::kKill:
      kill(getpid(), SIGKILL);
      return;
    case FaultHow::kSegfault:
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
      return;
    case FaultHow::kStop:
      kill(getpid(), SIGSTOP);
      return;
    case FaultHow::kHang:
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

}  // namespace traceml
