#include "workloads/spin/step_times.h"

#include <algorithm>
#include <cmath>

#include "harness/plan/arms.h"
#include "workloads/spin/noise.h"

namespace traceml {
namespace {

constexpr std::array kBeforeMeeting = {Phase::kInputWait, Phase::kDecode,  Phase::kH2d,
                                       Phase::kNormalize, Phase::kForward, Phase::kLoss,
                                       Phase::kBackward};
constexpr int kWords = 4;                 // 16 uniform numbers: tails up to 6.9 standard deviations
constexpr std::uint64_t kOfLaunch = ~0u;  // no window has this number

Nanos nanos(double value) noexcept {
  return Nanos{std::llround(value)};
}

// Which window of the run, for the noise: each warm-up counts as one.
std::uint64_t number_of(const StepPlace& place) noexcept {
  const std::int64_t number = place.window ? 2 * place.window->value + 1 : 2 * place.arm.value;
  return static_cast<std::uint64_t>(number);
}

std::optional<LoaderCosts> costs_of(const ArmConfig& arm, std::int64_t queue_capacity) {
  if (!has_loader(arm)) return std::nullopt;
  const LoaderTimes& times = arm.workload.loader_ms;
  const bool whole = arm.input.scheduling == Scheduling::kPerBatch || arm.input.workers == 0;
  return LoaderCosts{.workers = arm.input.workers,
                     .batch = arm.workload.batch_size,
                     .unit = whole ? arm.workload.batch_size : 1,
                     .read_ahead = std::max(static_cast<int>(queue_capacity), 1),
                     .read = nanos(times.read_ms * 1e6),
                     .decode = nanos(times.decode_ms * 1e6),
                     .resize = nanos(times.resize_ms * 1e6),
                     .slow_file = nanos(times.slow_file_ms * 1e6),
                     .noise = arm.workload.noise};
}

}  // namespace

Nanos StepTimes::before_meeting() const {
  Nanos sum = delay;
  for (const Phase phase : kBeforeMeeting) sum += phases[index_of(phase)];
  return sum;
}

Nanos StepTimes::after_meeting() const {
  return phases[index_of(Phase::kOptimizer)] + untracked;
}

StepTimeTable::StepTimeTable(const Plan& plan)
    : facts_(plan.facts), most_steps_(static_cast<std::size_t>(most_steps_in_a_row(plan))) {
  for (const ArmConfig& config : plan.config.arms) {
    Arm arm;
    for (const Phase phase : kAllPhases) {
      arm.base_ns[index_of(phase)] = config.workload.phases_ms[index_of(phase)] * 1e6;
    }
    arm.loader = costs_of(config, plan.facts.arms[arms_.size()].queue_capacity);
    // An input-free arm gets its batch from memory; with a loader the wait is what comes of it.
    if (config.input.source == Source::kSynthetic || arm.loader)
      arm.base_ns[index_of(Phase::kInputWait)] = 0;
    arm.all_reduce_ns = config.workload.allreduce_ms * 1e6;
    arm.noise = config.workload.noise;
    arm.plants = config.plants;
    const std::uint64_t own = key_of(facts_.seed, kOfLaunch, arms_.size(), 0);
    arm.launch_factor = factor(launch_effect_of(arm.plants), normal(own, kWords));
    for (const Phase phase : kBeforeMeeting) {
      const bool needed =
          phase == Phase::kInputWait || phase == Phase::kForward || phase == Phase::kBackward;
      if (needed || arm.base_ns[index_of(phase)] > 0) arm.before_meeting.push_back(phase);
    }
    arms_.push_back(std::move(arm));
  }
}

std::uint64_t StepTimeTable::loader_key(Rank rank, const StepPlace& place) const noexcept {
  constexpr std::uint64_t kNoStep = ~std::uint64_t{0};
  return key_of(facts_.seed, number_of(place), kNoStep, static_cast<std::uint64_t>(rank.value) + 1);
}

double StepTimeTable::window_factor(const Arm& arm, const StepPlace& place) const noexcept {
  if (arm.noise == 0) return arm.launch_factor;
  return arm.launch_factor *
         factor(arm.noise, normal(key_of(facts_.seed, number_of(place), 0, 0), kWords));
}

StepTimes StepTimeTable::times(Rank rank, const StepPlace& place) const noexcept {
  const Arm& arm = arm_at(place.arm);
  const double progress = progress_of(facts_, place);
  const double window = window_factor(arm, place);
  const std::uint64_t step_key =
      key_of(facts_.seed, number_of(place), static_cast<std::uint64_t>(place.step) + 1,
             static_cast<std::uint64_t>(rank.value) + 1);
  StepTimes times;
  for (const Phase phase : kAllPhases) {
    const std::size_t p = index_of(phase);
    if (phase == Phase::kTraced) continue;
    double base = arm.base_ns[p];
    if (base > 0) {
      base *= window * stretch_of(arm.plants, phase, progress);
      if (arm.noise > 0) base *= factor(arm.noise, normal(step_key + p + 1, 1));
    }
    times.phases[p] = nanos(base) + stall_of(arm.plants, phase, place.step);
  }
  times.delay = delay_of(arm.plants, rank, place.step);
  times.all_reduce = nanos(arm.all_reduce_ns * window * drift_of(arm.plants, progress));
  times.untracked = untracked_of(arm.plants);
  return times;
}

}  // namespace traceml
