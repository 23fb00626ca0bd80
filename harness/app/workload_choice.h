#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/app/gpu_choice.h"
#include "harness/app/instrument_memory.h"
#include "harness/app/ranks.h"
#include "harness/plan/plan.h"
#include "harness/ports/activity_trace.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/device_monitor.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/operator_trace.h"
#include "harness/ports/workload.h"
#include "workloads/input/dataset.h"

namespace traceml {

// The workload of a plan with the clocks and the transport that it runs on: the real ones, or
// those of a simulation.
class ChosenWorkload {
 public:
  virtual ~ChosenWorkload() = default;

  virtual Workload& workload() = 0;
  virtual Transport& transport() = 0;
  virtual HostClock& clock() = 0;
  virtual DeviceClock* device() = 0;                       // null: none
  virtual DeviceMonitor* monitor() { return nullptr; }     // null: none
  virtual ActivityTrace* activities() { return nullptr; }  // null: none
  virtual OperatorTrace* operators() { return nullptr; }   // null: not asked for
  // Of the clock of the device; what the records of a window hold comes on top.
  virtual InstrumentMemory clock_memory() const { return {}; }
  // A sentence, where the device should have one and has none.
  virtual std::string why_no_monitor() const { return ""; }
};

// Collective. `plan`, `ranks` and `clock` outlive it; `listed` are the data sets of the plan.
// Throws UsageError for what the workload cannot do, NotBuilt where it is not built in.
std::unique_ptr<ChosenWorkload> choose_workload(const Plan& plan, Ranks& ranks, HostClock& clock,
                                                const GpuChoice& choice, DataSets listed);

// What reports say of a plan's workload: "cuda", "cpu" or "fake"; and "virtual" where no rank talks
// to another one.
std::string device_of(const Plan& plan, const GpuChoice& choice);
std::string exchange_of(const Plan& plan, Ranks& ranks);

// When a simulated run began; nullopt for a real one.
std::optional<std::string> simulated_start(const Plan& plan);

}  // namespace traceml
