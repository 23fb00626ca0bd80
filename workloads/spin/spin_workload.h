#pragma once
// A training job that trains nothing: its phases take known times, and what is planted strikes
// where it was planted. Needs neither libtorch nor MPI.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/backends/local/simulated_trace.h"
#include "harness/backends/local/virtual_device_clock.h"
#include "harness/plan/plan.h"
#include "harness/ports/workload.h"
#include "workloads/spin/pace.h"
#include "workloads/spin/plant_rules.h"
#include "workloads/spin/step_times.h"

namespace traceml {

class SpinWorkload final : public Workload {
 public:
  // `table`, `pace`, `device` and `trace` outlive the workload; the last two may be null. `trace`
  // hears what the device does.
  SpinWorkload(const Plan& plan, Rank rank, const StepTimeTable& table, Pace& pace,
               VirtualDeviceClock* device, SimulatedTrace* trace = nullptr);

  void prepare(ArmIndex) override {}
  BatchContract contract(ArmIndex arm) override;
  void begin(ArmIndex arm, std::int64_t first_batch, Instrument instrument) override;
  void step(PhaseMarks* marks) override;
  void finish() override { pace_.finish(); }
  std::optional<std::int64_t> queue_depth() const override { return pace_.batches_ready(arm_); }
  void mark_first_loss() override {}
  WindowLosses end() override { return {}; }  // it has no loss
  std::vector<CollectiveRecord> take_collectives() override;
  std::vector<InputRecord> take_input_records() override;
  DeviceQueue training_queue() const override { return {}; }
  std::optional<std::uint64_t> parameters_digest() override { return pace_.digest(); }
  std::map<std::string, std::string> facts() const override;
  std::map<std::string, std::int64_t> counters() const override { return {}; }

 private:
  void phase(PhaseMarks* marks, Phase phase, Nanos time);
  void end_phase(PhaseMarks* marks);
  void take_batch(const StepPlace& place);
  void all_reduce(const StepPlace& place, const StepTimes& times);

  const Config& config_;
  Rank rank_;
  const StepTimeTable& table_;
  Pace& pace_;
  VirtualDeviceClock* device_;
  SimulatedTrace* trace_;
  StepCounter counter_;
  OneTimePlants one_time_;
  std::optional<DueFault> fault_;  // of the step that runs
  std::optional<Phase> lost_;      // phase of that step whose end is lost
  std::optional<Phase> running_;
  ArmIndex arm_;
  bool recording_ = false;
  std::vector<CollectiveRecord> records_;
  std::vector<InputRecord> inputs_;
};

}  // namespace traceml
