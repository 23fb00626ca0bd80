#include "harness/runner/step_loop.h"

#include <algorithm>
#include <optional>

#include "harness/runner/watched_ports.h"

namespace traceml {
namespace {

std::size_t most_steps(const CampaignFacts& facts) {
  return static_cast<std::size_t>(
      std::max(facts.settle_steps + facts.steps_per_window, facts.warmup_steps));
}

}  // namespace

StepLoop::StepLoop(const CampaignFacts& facts, Nanos drain, const LoopPorts& ports)
    : facts_(facts),
      drain_(drain),
      ports_(ports),
      recorder_(ports.clock, most_steps(facts), &ports.position.phase()) {}

Measured StepLoop::run(const PlannedWindow& planned) {
  Workload& workload = ports_.workload;
  ports_.position.enter_arm(planned.arm, planned.index);
  ports_.position.enter(Stage::kBegin);
  workload.begin(planned.arm, planned.first_batch, instrument_of(planned.arm));

  start_recording(planned.arm);
  run_steps(planned.arm, 0, facts_.settle_steps);
  complete();
  Measured measured;
  read_device(planned.index, DeviceWhen::kBefore, &measured);
  meet();

  WindowRecord window;
  window.arm = planned.arm;
  window.block = planned.block;
  window.order = planned.order;
  window.window = planned.index;
  window.steps = facts_.steps_per_window;
  window.queue_start = workload.queue_depth();
  workload.mark_first_loss();
  window.start_host = ports_.clock.now();
  run_steps(planned.arm, facts_.settle_steps, facts_.steps_per_window);
  complete();
  window.end_host = ports_.clock.now();
  window.queue_end = workload.queue_depth();
  meet();

  read_device(planned.index, DeviceWhen::kAfter, &measured);
  ports_.position.enter(Stage::kEnd);
  const WindowLosses losses = workload.end();
  window.loss_first = losses.first;
  window.loss_last = losses.last;
  measured.window = window;
  stop_recording(planned.arm, 0, facts_.settle_steps, &measured);
  take_records(planned.arm, planned.index, &measured);
  return measured;
}

Measured StepLoop::warm_up(ArmIndex arm, std::optional<int>& rounds, Nanos at_least) {
  ports_.position.enter_arm(arm, std::nullopt);
  ports_.position.enter(Stage::kBegin);
  ports_.workload.begin(arm, 0, instrument_of(arm));
  const Nanos begin = ports_.clock.now();

  Measured measured;
  int done = 0;
  bool again = true;
  while (again) {
    const std::int64_t first = done * facts_.warmup_steps;
    start_recording(arm);
    run_steps(arm, first, facts_.warmup_steps);
    complete();
    const std::int64_t never = first + facts_.warmup_steps;
    stop_recording(arm, first, never, &measured);
    ++done;
    ports_.position.enter(Stage::kBarrier);
    const bool more = rounds ? done < *rounds : ports_.clock.now() - begin < at_least;
    again = ports_.transport.broadcast(more ? "again" : "enough") == "again";
  }
  rounds = done;

  ports_.position.enter(Stage::kEnd);
  ports_.workload.end();
  take_records(arm, std::nullopt, &measured);
  return measured;
}

std::map<std::string, std::int64_t> StepLoop::counters() const {
  std::map<std::string, std::int64_t> counters = {{"events_unresolved", unresolved_},
                                                  {"step_records_dropped", recorder_.dropped()}};
  if (activity_steps_ > 0) {
    counters["activity_bytes"] = activity_bytes_;
    counters["activity_steps"] = activity_steps_;
  }
  return counters;
}

Instrument StepLoop::instrument_of(ArmIndex arm) const {
  return facts_.arms[static_cast<std::size_t>(arm.value)].instrument;
}

bool StepLoop::bare(ArmIndex arm) const {
  return instrument_of(arm) == Instrument::kNone;
}

void StepLoop::start_recording(ArmIndex arm) {
  if (bare(arm)) return;
  DeviceClock* device = marks_device(instrument_of(arm)) ? ports_.device : nullptr;
  if (instrument_of(arm) == Instrument::kCupti) ports_.activities->begin();
  recorder_.begin_window(device, ports_.workload.training_queue());
  if (device != nullptr) {
    HostClock& wall = ports_.wall == nullptr ? ports_.clock : *ports_.wall;
    sampler_ = std::make_unique<EventSampler>(*device, wall, recorder_);
  }
}

// Nothing here allocates, locks or calls the system, beside the workload.
void StepLoop::run_steps(ArmIndex arm, std::int64_t first, std::int64_t count) {
  ports_.position.at_step(first);
  ports_.position.enter(Stage::kStep);
  if (bare(arm)) {
    for (std::int64_t step = first; step < first + count; ++step) {
      ports_.position.at_step(step);
      ports_.workload.step(nullptr);
    }
    return;
  }
  for (std::int64_t step = first; step < first + count; ++step) {
    ports_.position.at_step(step);
    recorder_.begin_step();
    ports_.workload.step(&recorder_);
    recorder_.leave();
    recorder_.end_step(ports_.workload.take_memory_peaks());
  }
}

void StepLoop::complete() {
  ports_.position.enter(Stage::kFinish);
  // A device's last steps hold exchanges that other ranks must join.
  std::optional<WaitScope> waiting;
  if (ports_.transport.world_size() > 1) waiting.emplace(ports_.position);
  ports_.workload.finish();
}

void StepLoop::meet() {
  ports_.position.enter(Stage::kBarrier);
  ports_.transport.barrier();
}

void StepLoop::stop_recording(ArmIndex arm, std::int64_t first_step, std::int64_t first_timed,
                              Measured* measured) {
  if (bare(arm)) return;
  if (instrument_of(arm) == Instrument::kCupti) {
    activity_bytes_ += ports_.activities->stop();
    activity_steps_ += static_cast<std::int64_t>(recorder_.published_steps());
  }
  std::vector<PhaseTimes> device_times;
  if (sampler_) {
    sampler_->drain(drain_);
    device_times = sampler_->times();
    unresolved_ += sampler_->unresolved();
    sampler_.reset();
  }
  std::optional<WindowIndex> window;
  if (measured->window) window = measured->window->window;
  const std::vector<StepRecord> records =
      recorder_.records(arm, window, first_step, first_timed, device_times);
  measured->steps.insert(measured->steps.end(), records.begin(), records.end());
}

// Takes milliseconds, so that it stands outside the barriers of a window.
void StepLoop::read_device(WindowIndex window, DeviceWhen when, Measured* measured) {
  if (ports_.monitor == nullptr) return;
  const DeviceState state = ports_.monitor->read();
  measured->devices.push_back({.window = window,
                               .when = when,
                               .sm_clock_mhz = state.sm_clock_mhz,
                               .memory_clock_mhz = state.memory_clock_mhz,
                               .power_w = state.power_w,
                               .temperature_c = state.temperature_c,
                               .throttle_reasons = state.throttle_reasons,
                               .other_processes = state.other_processes});
}

void StepLoop::take_records(ArmIndex arm, std::optional<WindowIndex> window, Measured* measured) {
  if (bare(arm)) return;
  measured->collectives = ports_.workload.take_collectives();
  measured->inputs = ports_.workload.take_input_records();
  const auto place = [&](auto& record) {
    record.arm = arm;
    record.window = window;
  };
  std::for_each(measured->collectives.begin(), measured->collectives.end(), place);
  std::for_each(measured->inputs.begin(), measured->inputs.end(), place);
}

}  // namespace traceml
