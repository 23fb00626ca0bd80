#pragma once
// How long everything in a step of spin takes: known before it is run. A pure function of config,
// rank and place, so that every rank knows the steps of all.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/core/phase.h"
#include "harness/core/units.h"
#include "harness/plan/plan.h"
#include "workloads/spin/loader_model.h"
#include "workloads/spin/plant_rules.h"
#include "workloads/spin/step_place.h"

namespace traceml {

// The order of a step: phases up to backward, delay, meeting of all ranks, all-reduce, optimizer,
// untracked.
struct StepTimes {
  std::array<Nanos, kPhaseCount> phases{};
  Nanos delay{};
  Nanos all_reduce{};  // from the last rank's arrival on; equal on all ranks
  Nanos untracked{};

  Nanos before_meeting() const;
  Nanos after_meeting() const;
};

// Times are base * window factor * step factor. With noise s each window of each arm has a factor
// of its own, common to the ranks, and each phase of each step on each rank too; both are 1 + s z,
// z approximately normal, made of sums of integers alone: equal on every machine.
class StepTimeTable {
 public:
  explicit StepTimeTable(const Plan& plan);

  StepTimes times(Rank rank, const StepPlace& place) const noexcept;

  // The arm's loader, on which its input_wait depends; nullopt: it has none. What the step adds to
  // that wait is planted.
  const std::optional<LoaderCosts>& loader_of(ArmIndex arm) const noexcept {
    return arm_at(arm).loader;
  }
  // Chooses the noise of a rank's loader in the window of `place`.
  std::uint64_t loader_key(Rank rank, const StepPlace& place) const noexcept;
  std::size_t most_steps() const noexcept { return most_steps_; }  // in a row

  // Phases that the arm's steps have, in order, up to backward; optimizer follows the all-reduce.
  const std::vector<Phase>& phases_before_meeting(ArmIndex arm) const noexcept {
    return arm_at(arm).before_meeting;
  }

 private:
  struct Arm {
    std::array<double, kPhaseCount> base_ns{};
    double all_reduce_ns = 0;
    double noise = 0;
    double launch_factor = 1;  // of the whole launch
    std::optional<LoaderCosts> loader;
    Plants plants;
    std::vector<Phase> before_meeting;
  };

  const Arm& arm_at(ArmIndex arm) const noexcept {
    return arms_[static_cast<std::size_t>(arm.value)];
  }
  double window_factor(const Arm& arm, const StepPlace& place) const noexcept;

  CampaignFacts facts_;
  std::size_t most_steps_;
  std::vector<Arm> arms_;
};

}  // namespace traceml
