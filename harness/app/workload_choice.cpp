#include "harness/app/workload_choice.h"

#include <algorithm>
#include <utility>

#include "harness/app/environment_probe.h"
#include "harness/backends/cupti/cupti_backend.h"
#include "harness/backends/local/simulated_trace.h"
#include "harness/backends/local/virtual_device_clock.h"
#include "harness/backends/local/virtual_world.h"
#include "harness/plan/spin_rules.h"
#include "harness/runner/rank_program.h"
#include "workloads/spin/pace.h"
#include "workloads/spin/planted_workload.h"
#include "workloads/spin/spin_workload.h"
#include "workloads/torch/operator_recorder.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

bool is_virtual(const Plan& plan) {
  const WorkloadConfig& workload = plan.config.arms.front().workload;
  return workload.spins() && workload.clock == ClockKind::kVirtual;
}

bool has_cupti_arm(const Plan& plan) {
  return std::any_of(plan.facts.arms.begin(), plan.facts.arms.end(),
                     [](const ArmFacts& arm) { return arm.instrument == Instrument::kCupti; });
}

bool wants_activities(const Plan& plan) {
  return plan.trace.has_value() || has_cupti_arm(plan);
}

void refuse_cupti_arms_in_vain(const Plan& plan, bool device) {
  if (device || !has_cupti_arm(plan)) return;
  throw UsageError(
      "measure.instrument: cupti collects what a GPU does, and this run has none; use host, or "
      "events with a device");
}

bool at_all_reduce(const Plant& plant) {
  return plant.kind == PlantKind::kDelay || plant.at_all_reduce;
}

void refuse_plant(const ArmConfig& arm, const Plant& plant, bool on_gpu) {
  if (plant.on == DelayOn::kDevice && !on_gpu) {
    throw UsageError("arm " + arm.name +
                     ": a delay on the device is planted, and this run has no GPU; plant it on the "
                     "host");
  }
  if (at_all_reduce(plant) && arm.workload.exchange == Exchange::kNone) {
    throw UsageError("arm " + arm.name +
                     ": what is planted at the all-reduce never strikes with "
                     "workload.exchange: none");
  }
}

// Plants that would be told of and never strike, or not as told.
void refuse_plants_in_vain(const Config& config, bool on_gpu) {
  for (const ArmConfig& arm : config.arms) {
    if (!arm.plants.empty() && arm.workload.execution == Execution::kGraph) {
      throw UsageError("arm " + arm.name +
                       ": plants cannot strike inside a captured step; plant them with "
                       "workload.execution: eager");
    }
    for (const Plant& plant : arm.plants) refuse_plant(arm, plant, on_gpu);
  }
}

// What waits for the host in the middle of a step cannot be captured.
void refuse_graphs_over_host(const Config& config, const GpuChoice& choice) {
  for (const ArmConfig& arm : config.arms) {
    if (!choice.over_host || arm.workload.execution != Execution::kGraph ||
        arm.workload.exchange == Exchange::kNone) {
      continue;
    }
    throw UsageError("arm " + arm.name + ": workload.execution: graph needs NCCL, and here " +
                     choice.note.value_or("gradients go over the host") + "; use eager");
  }
}

class ChosenTorch final : public ChosenWorkload {
 public:
  ChosenTorch(const Plan& plan, Ranks& ranks, HostClock& clock, const GpuChoice& choice,
              DataSets listed)
      : ranks_(ranks), clock_(clock) {
    refuse_graphs_over_host(plan.config, choice);
    refuse_cupti_arms_in_vain(plan, choice.gpu.has_value());
    std::optional<int> gpu;
    if (choice.gpu) gpu = choice.gpu->index;
    if (gpu) make_clock(*gpu, plan);
    if (gpu && wants_activities(plan)) activities_ = make_cupti_trace();
    if (plan.trace && plan.trace->schedule.operators) operators_ = make_operator_recorder();
    if (gpu) monitor_ = make_gpu_monitor(choice.gpu->uuid, why_no_monitor_);
    if (!has_plants(plan.config)) {
      workload_ =
          make_torch_workload(plan, ranks.transport(), ranks.collective(), gpu, std::move(listed));
      return;
    }
    refuse_plants_in_vain(plan.config, gpu.has_value());
    if (gpu) delay_ = make_gpu_delay(*gpu);
    planter_ = std::make_unique<Planter>(plan, ranks.transport().rank(), clock, ranks.collective(),
                                         delay_.get());
    workload_ = planter_->around(make_torch_workload(
        plan, ranks.transport(), planter_->collective(), gpu, std::move(listed)));
  }

  Workload& workload() override { return *workload_; }
  Transport& transport() override { return ranks_.transport(); }
  HostClock& clock() override { return clock_; }
  DeviceClock* device() override { return device_.get(); }
  DeviceMonitor* monitor() override { return monitor_.get(); }
  InstrumentMemory clock_memory() const override { return clock_memory_; }
  ActivityTrace* activities() override { return activities_.get(); }
  OperatorTrace* operators() override { return operators_.get(); }
  std::string why_no_monitor() const override {
    if (why_no_monitor_.empty()) return "";
    return "clocks, power and throttling of the GPU are not known: " + why_no_monitor_;
  }

 private:
  void make_clock(int gpu, const Plan& plan) {
    const auto device_before =
        gpu_memory_in_use(gpu);  // makes the context, which is not the clock's
    const auto host_before = memory_held();
    device_ = make_cuda_device_clock(gpu, device_marks_needed(plan));
    const auto host_after = memory_held();
    const auto device_after = gpu_memory_in_use(gpu);
    if (device_before && device_after) clock_memory_.device = *device_after - *device_before;
    if (host_before && host_after) clock_memory_.host = *host_after - *host_before;
  }

  Ranks& ranks_;
  HostClock& clock_;
  std::unique_ptr<DeviceClock> device_;
  InstrumentMemory clock_memory_;
  std::unique_ptr<DeviceMonitor> monitor_;
  std::unique_ptr<ActivityTrace> activities_;
  std::unique_ptr<OperatorTrace> operators_;
  std::string why_no_monitor_;
  std::unique_ptr<DeviceDelay> delay_;
  std::unique_ptr<Planter> planter_;
  std::unique_ptr<Workload> workload_;
};

class ChosenSpin final : public ChosenWorkload {
 public:
  ChosenSpin(const Plan& plan, Ranks& ranks, HostClock& clock)
      : ranks_(ranks),
        real_clock_(clock),
        table_(plan),
        world_(ranks.transport().world_size(), Nanos{0}),
        virtual_clock_(world_, ranks.transport().rank()),
        virtual_transport_(ranks.transport(), world_),
        is_virtual_(is_virtual(plan)) {
    const Rank rank = ranks.transport().rank();
    refuse_cupti_arms_in_vain(plan, has_fake_device(plan.config));
    if (has_fake_device(plan.config)) {
      device_ = std::make_unique<VirtualDeviceClock>(device_marks_needed(plan));
    }
    pace_ = is_virtual_
                ? make_virtual_pace(world_, table_, rank, device_.get())
                : make_real_pace(world_, table_, rank, device_.get(), clock, ranks.collective());
    if (device_ && wants_activities(plan)) {
      trace_ = std::make_unique<SimulatedTrace>(is_virtual_ ? nullptr : &real_clock_);
    }
    workload_ =
        std::make_unique<SpinWorkload>(plan, rank, table_, *pace_, device_.get(), trace_.get());
  }

  Workload& workload() override { return *workload_; }
  Transport& transport() override {
    return is_virtual_ ? static_cast<Transport&>(virtual_transport_) : ranks_.transport();
  }
  HostClock& clock() override {
    return is_virtual_ ? static_cast<HostClock&>(virtual_clock_) : real_clock_;
  }
  DeviceClock* device() override { return device_.get(); }
  ActivityTrace* activities() override { return trace_.get(); }

 private:
  Ranks& ranks_;
  HostClock& real_clock_;
  StepTimeTable table_;
  VirtualWorld world_;
  VirtualHostClock virtual_clock_;
  VirtualTransport virtual_transport_;
  bool is_virtual_;
  std::unique_ptr<VirtualDeviceClock> device_;
  std::unique_ptr<SimulatedTrace> trace_;
  std::unique_ptr<Pace> pace_;
  std::unique_ptr<SpinWorkload> workload_;
};

}  // namespace

std::unique_ptr<ChosenWorkload> choose_workload(const Plan& plan, Ranks& ranks, HostClock& clock,
                                                const GpuChoice& choice, DataSets listed) {
  if (plan.config.arms.front().workload.spins()) {
    return std::make_unique<ChosenSpin>(plan, ranks, clock);
  }
  return std::make_unique<ChosenTorch>(plan, ranks, clock, choice, std::move(listed));
}

std::string device_of(const Plan& plan, const GpuChoice& choice) {
  if (choice.gpu) return "cuda";
  return has_fake_device(plan.config) ? "fake" : "cpu";
}

std::string exchange_of(const Plan& plan, Ranks& ranks) {
  return is_virtual(plan) ? "virtual" : ranks.collective().name();
}

std::optional<std::string> simulated_start(const Plan& plan) {
  if (!is_virtual(plan)) return std::nullopt;
  return "1970-01-01T00:00:00Z";  // VirtualWorld's epoch
}

}  // namespace traceml
