#pragma once
// How time passes for spin: simulated, or busy-waited on a real clock. Host and device pass
// together, but for the device's exactness: it takes the planned times, the host what it takes.

#include <cstdint>
#include <memory>
#include <optional>

#include "harness/backends/local/virtual_device_clock.h"
#include "harness/backends/local/virtual_world.h"
#include "harness/core/records.h"
#include "harness/core/units.h"
#include "harness/ports/collective.h"
#include "harness/ports/host_clock.h"
#include "workloads/spin/step_place.h"
#include "workloads/spin/step_times.h"

namespace traceml {

// On this rank's host clock.
struct Meeting {
  Nanos arrival{};
  Nanos start{};  // the last rank has arrived
  Nanos end{};
};

class Pace {
 public:
  virtual ~Pace() = default;

  // `first_batch`: of the simulated loader, equal on all ranks.
  virtual void begin_window(std::int64_t first_batch) = 0;
  virtual void begin_step() = 0;
  virtual void work(Nanos time) = 0;

  // Waits for the simulated loader's next batch, held until it has been copied; what is told of it
  // is on this rank's host clock. nullopt: the arm has no loader.
  virtual std::optional<InputRecord> take_batch(const StepPlace& place) = 0;
  // That it holds ready now; nullopt: there is no queue.
  virtual std::optional<std::int64_t> batches_ready(ArmIndex arm) = 0;

  // All ranks meet and exchange for `cost`. `place`: the step that all ranks are in.
  virtual Meeting all_reduce(const StepPlace& place, Nanos cost) = 0;

  virtual void finish() = 0;  // the steps so far are done; ranks meet before further ones

  // Equal on all ranks that passed through the same steps.
  virtual std::uint64_t digest() const = 0;
};

// Moves all ranks of `world` through each step, so that they meet without asking each other. All
// arguments outlive the pace; `device` may be null.
std::unique_ptr<Pace> make_virtual_pace(VirtualWorld& world, const StepTimeTable& table, Rank rank,
                                        VirtualDeviceClock* device);

// The same, each moment busy-waited for on `clock`; ranks meet in a real all-reduce of one number.
// One core a rank, or times are longer than planned. What the harness itself costs is hidden in the
// waiting: the times are the planned ones.
std::unique_ptr<Pace> make_real_pace(VirtualWorld& world, const StepTimeTable& table, Rank rank,
                                     VirtualDeviceClock* device, HostClock& clock,
                                     Collective& collective);

// Returns when `clock` has reached the deadline; burns the core meanwhile.
void busy_wait_until(HostClock& clock, Nanos deadline) noexcept;

}  // namespace traceml
