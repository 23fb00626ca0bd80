#include "workloads/spin/step_times.h"

#include <algorithm>
#include <cmath>

namespace traceml {
namespace {

constexpr std::array kBeforeMeeting = {Phase::kInputWait, Phase::kDecode,  Phase::kH2d,
                                       Phase::kNormalize, Phase::kForward, Phase::kLoss,
                                       Phase::kBackward};
constexpr double kLeastFactor = 0.05;  // noise makes nothing free or negative

// A bijection whose output passes for random: the finalizer of splitmix64 (Steele, Lea and Flood
// 2014).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::int64_t sum_of_quarters(std::uint64_t bits) noexcept {
  std::int64_t sum = 0;
  for (int shift = 0; shift < 64; shift += 16) {
    sum += static_cast<std::int64_t>((bits >> shift) & 0xffff);
  }
  return sum;
}

// Mean 0, variance 1: the sum of 4 * `words` uniform numbers (Irwin-Hall), scaled. `key` chooses.
double normal(std::uint64_t key, int words) noexcept {
  std::int64_t sum = 0;
  for (int i = 0; i < words; ++i) {
    key = mixed(key);
    sum += sum_of_quarters(key);
  }
  const int count = 4 * words;
  const double centred = static_cast<double>(sum) / 65536 - count * 0.5 * (65535.0 / 65536);
  return centred * std::sqrt(12.0 / count);
}

std::uint64_t key_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return mixed(mixed(mixed(seed ^ mixed(a)) ^ b) ^ c);
}

double factor(double noise, double z) noexcept {
  return std::max(kLeastFactor, 1 + noise * z);
}

Nanos nanos(double value) noexcept {
  return Nanos{std::llround(value)};
}

// Which window of the run, for the noise: each warm-up counts as one.
std::uint64_t number_of(const StepPlace& place) noexcept {
  const std::int64_t number = place.window ? 2 * place.window->value + 1 : 2 * place.arm.value;
  return static_cast<std::uint64_t>(number);
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

StepTimeTable::StepTimeTable(const Plan& plan) : facts_(plan.facts) {
  for (const ArmConfig& config : plan.config.arms) {
    Arm arm;
    for (const Phase phase : kAllPhases) {
      arm.base_ns[index_of(phase)] = config.workload.phases_ms[index_of(phase)] * 1e6;
    }
    // An input-free arm gets its batch from memory.
    if (config.input.source == Source::kSynthetic) arm.base_ns[index_of(Phase::kInputWait)] = 0;
    arm.all_reduce_ns = config.workload.allreduce_ms * 1e6;
    arm.noise = config.workload.noise;
    arm.plants = config.plants;
    for (const Phase phase : kBeforeMeeting) {
      const bool needed =
          phase == Phase::kInputWait || phase == Phase::kForward || phase == Phase::kBackward;
      if (needed || arm.base_ns[index_of(phase)] > 0) arm.before_meeting.push_back(phase);
    }
    arms_.push_back(std::move(arm));
  }
}

double StepTimeTable::window_factor(const Arm& arm, const StepPlace& place) const noexcept {
  constexpr int kWords = 4;  // 16 uniform numbers: tails up to 6.9 standard deviations
  if (arm.noise == 0) return 1;
  return factor(arm.noise, normal(key_of(facts_.seed, number_of(place), 0, 0), kWords));
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
