#pragma once
// What the plants of one arm do to one step. Pure, but for those that strike once.

#include <optional>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/phase.h"
#include "harness/core/units.h"
#include "harness/plan/plan.h"
#include "harness/plan/plants.h"
#include "workloads/spin/step_place.h"

namespace traceml {

using Plants = std::vector<Plant>;

// How far the run has come, 0 to 1, were it to run all its blocks; 0 in the warm-up.
double progress_of(const CampaignFacts& facts, const StepPlace& place) noexcept;

// What a phase's time is multiplied with: slowdown (forward and backward) and drift.
double stretch_of(const Plants& plants, Phase phase, double progress) noexcept;
double drift_of(const Plants& plants, double progress) noexcept;  // its drift alone

// Standard deviation of what a launch does to the arm, as a share of its times; 0 without.
double launch_effect_of(const Plants& plants) noexcept;

Nanos stall_of(const Plants& plants, Phase phase, std::int64_t step) noexcept;
Nanos delay_of(const Plants& plants, Rank rank, std::int64_t step,
               DelayOn on = DelayOn::kHost) noexcept;
Nanos untracked_of(const Plants& plants) noexcept;

// A fault that is due on a step of this rank.
struct DueFault {
  FaultHow how = FaultHow::kThrow;
  std::optional<Phase> phase;
  bool at_all_reduce = false;

  bool before_phases() const { return !phase && !at_all_reduce; }
};

// The plants of one rank that strike once in each arm that has them.
class OneTimePlants {
 public:
  OneTimePlants(const Config& config, Rank rank);

  std::optional<DueFault> fault(const StepPlace& place) noexcept;
  std::optional<Phase> lost_event(const StepPlace& place) noexcept;  // lose the phase's end

 private:
  struct Armed {
    Plant plant;
    bool struck = false;
  };

  const Plant* strike(PlantKind kind, const StepPlace& place) noexcept;

  std::vector<std::vector<Armed>> arms_;
};

// Does it: throws RunError, or ends, stops or hangs the process.
void commit(FaultHow how);

}  // namespace traceml
