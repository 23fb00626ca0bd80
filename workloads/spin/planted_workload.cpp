#include "workloads/spin/planted_workload.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "harness/core/error.h"
#include "workloads/spin/pace.h"
#include "workloads/spin/plant_rules.h"
#include "workloads/spin/step_place.h"

namespace traceml {

// What is planted in the step that runs.
struct Planter::State {
  State(const Plan& run, Rank own, HostClock& host, DeviceDelay* delay)
      : plan(run),
        rank(own),
        clock(host),
        device(delay),
        counter(run.facts),
        one_time(run.config, own) {}

  const Plants& plants() const {
    return plan.config.arms[static_cast<std::size_t>(place.arm.value)].plants;
  }

  void wait(Nanos time) const noexcept {
    if (time > Nanos{0}) busy_wait_until(clock, clock.now() + time);
  }

  const Plan& plan;
  Rank rank;
  HostClock& clock;
  DeviceDelay* device;  // null: none
  StepCounter counter;
  OneTimePlants one_time;
  StepPlace place;
  double progress = 0;
  std::optional<DueFault> fault;
  bool before_all_reduce = false;  // no bucket of the step has been handed over yet
  bool stretch_failed = false;     // on the device, in a phase, which cannot throw
};

namespace {

using State = Planter::State;

class PlantedCollective final : public Collective {
 public:
  PlantedCollective(State& state, Collective& inner) : state_(state), inner_(inner) {}

  void all_reduce_mean(const BucketView& bucket) override {
    if (std::exchange(state_.before_all_reduce, false)) {
      state_.wait(delay_of(state_.plants(), state_.rank, state_.place.step));
      const Nanos on_device =
          delay_of(state_.plants(), state_.rank, state_.place.step, DelayOn::kDevice);
      if (state_.device != nullptr && on_device > Nanos{0}) {
        state_.device->enqueue(bucket.queue, on_device);
      }
      if (state_.fault && state_.fault->at_all_reduce) commit(state_.fault->how);
    }
    inner_.all_reduce_mean(bucket);
  }

  void wait(DeviceQueue queue) override { inner_.wait(queue); }
  void set_recording(bool on) override { inner_.set_recording(on); }
  std::vector<CollectiveRecord> take_records() override { return inner_.take_records(); }
  void abort() noexcept override { inner_.abort(); }
  const char* name() const override { return inner_.name(); }

 private:
  State& state_;
  Collective& inner_;
};

// Lengthens phases before their end is marked. Bare arms have no inner marks.
class PlantedMarks final : public PhaseMarks {
 public:
  // `queue`: where the device's work of the phases goes.
  PlantedMarks(State& state, PhaseMarks* inner, DeviceQueue queue)
      : state_(state), inner_(inner), queue_(queue) {}

  void enter(Phase phase) noexcept override {
    lengthen();
    running_ = phase;
    traceml::enter(inner_, phase);
    begun_ = state_.clock.now();
    if (stretches_device()) note(state_.device->begin_stretch(queue_));
    const auto& fault = state_.fault;
    if (fault && fault->phase == phase && fault->how != FaultHow::kThrow) commit(fault->how);
    state_.wait(stall_of(state_.plants(), phase, state_.place.step));
  }

  void leave() noexcept override {
    lengthen();
    running_ = std::nullopt;
    traceml::leave(inner_);
  }

 private:
  void lengthen() noexcept {
    if (!running_) return;
    const Nanos took =
        state_.clock.now() - begun_ - stall_of(state_.plants(), *running_, state_.place.step);
    // What the device does of a phase it does later, so it is slowed down apart from the host.
    if (stretches_device()) note(state_.device->end_stretch(queue_, stretch() - 1));
    state_.wait(std::chrono::duration_cast<Nanos>(took * (stretch() - 1)));
  }

  double stretch() const noexcept {
    return stretch_of(state_.plants(), *running_, state_.progress);
  }
  bool stretches_device() const noexcept { return state_.device != nullptr && stretch() > 1; }
  void note(bool queued) noexcept { state_.stretch_failed = state_.stretch_failed || !queued; }

  State& state_;
  PhaseMarks* inner_;
  DeviceQueue queue_;
  std::optional<Phase> running_;
  Nanos begun_{};
};

class PlantedWorkload final : public Workload {
 public:
  PlantedWorkload(State& state, std::unique_ptr<Workload> inner)
      : state_(state), inner_(std::move(inner)) {}

  void begin(ArmIndex arm, std::int64_t first_batch, Instrument instrument) override {
    state_.counter.begin(arm);
    inner_->begin(arm, first_batch, instrument);
  }

  void step(PhaseMarks* marks) override {
    state_.place = state_.counter.step();
    state_.progress = progress_of(state_.plan.facts, state_.place);
    state_.fault = state_.one_time.fault(state_.place);
    state_.before_all_reduce = true;
    const auto& fault = state_.fault;
    const bool thrown_in_phase = fault && fault->phase && fault->how == FaultHow::kThrow;
    if (fault && (fault->before_phases() || thrown_in_phase)) commit(fault->how);
    if (state_.plants().empty()) {
      inner_->step(marks);
      return;
    }
    PlantedMarks planted(state_, marks, inner_->training_queue());
    inner_->step(&planted);
    planted.leave();
    if (state_.stretch_failed) {
      throw RunError("a planted slowdown could not be queued on the device; is it still there?");
    }
    state_.wait(untracked_of(state_.plants()));
  }

  void tell_progress_to(std::function<void()> progress) override {
    inner_->tell_progress_to(std::move(progress));
  }
  void prepare(ArmIndex arm) override { inner_->prepare(arm); }
  BatchContract contract(ArmIndex arm) override { return inner_->contract(arm); }
  void finish() override { inner_->finish(); }
  std::optional<std::int64_t> queue_depth() const override { return inner_->queue_depth(); }
  void mark_first_loss() override { inner_->mark_first_loss(); }
  WindowLosses end() override { return inner_->end(); }
  std::vector<CollectiveRecord> take_collectives() override { return inner_->take_collectives(); }
  std::vector<GraphBorder> graph_borders() const override { return inner_->graph_borders(); }
  std::vector<InputRecord> take_input_records() override { return inner_->take_input_records(); }
  std::vector<std::string> replaced_files() const override { return inner_->replaced_files(); }
  DeviceQueue training_queue() const override { return inner_->training_queue(); }
  std::optional<MemoryPeaks> take_memory_peaks() override { return inner_->take_memory_peaks(); }
  std::optional<std::uint64_t> parameters_digest() override { return inner_->parameters_digest(); }
  std::map<std::string, std::string> facts() const override { return inner_->facts(); }
  std::map<std::string, std::int64_t> counters() const override { return inner_->counters(); }

 private:
  State& state_;
  std::unique_ptr<Workload> inner_;
};

}  // namespace

bool has_plants(const Config& config) {
  return std::any_of(config.arms.begin(), config.arms.end(),
                     [](const ArmConfig& arm) { return !arm.plants.empty(); });
}

Planter::Planter(const Plan& plan, Rank rank, HostClock& clock, Collective& collective,
                 DeviceDelay* device)
    : state_(std::make_unique<State>(plan, rank, clock, device)),
      collective_(std::make_unique<PlantedCollective>(*state_, collective)) {}

Planter::~Planter() = default;

Collective& Planter::collective() {
  return *collective_;
}

std::unique_ptr<Workload> Planter::around(std::unique_ptr<Workload> workload) {
  return std::make_unique<PlantedWorkload>(*state_, std::move(workload));
}

}  // namespace traceml
