#pragma once
// Plants around any workload that runs in real time: they busy-wait where they were planted. Where
// there is a device, slowdowns and drift lengthen its work of a phase as they do the host's.

#include <memory>

#include "harness/plan/plan.h"
#include "harness/ports/collective.h"
#include "harness/ports/device_delay.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/workload.h"

namespace traceml {

// Whether any arm has a plant.
bool has_plants(const Config& config);

// A workload and the collective that it must be made with share what is planted in them.
class Planter {
 public:
  // `plan`, `clock`, `collective` and `device`, if there is one, outlive the planter.
  Planter(const Plan& plan, Rank rank, HostClock& clock, Collective& collective,
          DeviceDelay* device = nullptr);
  ~Planter();
  Planter(const Planter&) = delete;
  Planter& operator=(const Planter&) = delete;

  // Delays the first bucket of a step, and strikes faults at the all-reduce.
  Collective& collective();

  // Around `workload`, which was made with collective(). The planter outlives it. A fault `throw`
  // in a phase is thrown before the step, since marks cannot throw.
  std::unique_ptr<Workload> around(std::unique_ptr<Workload> workload);

  struct State;

 private:
  std::unique_ptr<State> state_;
  std::unique_ptr<Collective> collective_;
};

}  // namespace traceml
