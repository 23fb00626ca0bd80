#include "harness/runner/step_recorder.h"

namespace traceml {

StepRecorder::StepRecorder(HostClock& clock, std::size_t max_steps, std::atomic<int>* shown)
    : clock_(clock),
      borders_(max_steps * kBordersPerStep),
      steps_(max_steps),
      phase_(shown == nullptr ? own_phase_ : *shown) {}

void StepRecorder::begin_window(DeviceClock* device, DeviceQueue queue) noexcept {
  device_ = device;
  queue_ = queue;
  used_borders_ = 0;
  step_ = {};
  phase_.store(kNoPhase, std::memory_order_relaxed);
  published_.store(0, std::memory_order_release);
}

void StepRecorder::begin_step() noexcept {
  step_ = {};
  step_.first = used_borders_;
  step_.overflowed = published_.load(std::memory_order_relaxed) >= steps_.size();
}

Border* StepRecorder::add_border(std::optional<Phase> begins) noexcept {
  phase_.store(begins ? 1 + static_cast<int>(*begins) : kNoPhase, std::memory_order_relaxed);
  if (step_.count >= kBordersPerStep) step_.overflowed = true;
  if (step_.overflowed) return nullptr;
  Border& border = borders_[used_borders_];
  border.begins = begins;
  ++used_borders_;
  ++step_.count;
  return &border;
}

void StepRecorder::record(std::optional<Phase> begins) noexcept {
  Border* border = add_border(begins);
  if (border == nullptr) return;
  border->host = clock_.now();
  border->mark = device_ == nullptr ? std::nullopt : device_->mark(queue_);
}

void StepRecorder::enter(Phase phase) noexcept {
  record(phase);
}

void StepRecorder::leave() noexcept {
  if (phase_.load(std::memory_order_relaxed) != kNoPhase) record(std::nullopt);
}

std::uintptr_t StepRecorder::enter_in_graph(Phase phase) noexcept {
  Border* border = add_border(phase);
  if (border == nullptr) return 0;
  border->host = std::nullopt;
  border->mark = device_ == nullptr ? std::nullopt : device_->reserve();
  return border->mark ? device_->event_of(*border->mark) : 0;
}

void StepRecorder::end_step(std::optional<MemoryPeaks> memory) noexcept {
  leave();
  if (step_.overflowed || step_.count == 0) ++dropped_;
  const std::size_t index = published_.load(std::memory_order_relaxed);
  if (index >= steps_.size()) return;
  step_.memory = memory;
  steps_[index] = step_;
  published_.store(index + 1, std::memory_order_release);
}

std::optional<Phase> StepRecorder::current_phase() const noexcept {
  const int phase = phase_.load(std::memory_order_relaxed);
  if (phase == kNoPhase) return std::nullopt;
  return static_cast<Phase>(phase - 1);
}

std::vector<StepRecord> StepRecorder::records(ArmIndex arm, std::optional<WindowIndex> window,
                                              std::int64_t first_step, std::int64_t first_timed,
                                              const std::vector<PhaseTimes>& device_times) const {
  std::vector<StepRecord> records;
  records.reserve(published_steps());
  for (std::size_t i = 0; i < published_steps(); ++i) {
    const StepBorders& step = steps_[i];
    if (step.overflowed || step.count == 0) continue;
    PhaseSums sums;
    for_each_span(*this, step, [&](Phase phase, std::uint32_t from, std::uint32_t to) {
      const bool timed = borders_[from].host && borders_[to].host;
      sums.add(phase,
               timed ? std::optional(*borders_[to].host - *borders_[from].host) : std::nullopt);
    });
    StepRecord record;
    record.arm = arm;
    record.window = window;
    record.step = StepIndex{first_step + static_cast<std::int64_t>(i)};
    record.timed = record.step.value >= first_timed;
    record.start_host = borders_[step.first].host.value_or(Nanos{});
    if (step.memory) {
      record.allocated_peak_bytes = step.memory->allocated_peak_bytes;
      record.reserved_peak_bytes = step.memory->reserved_peak_bytes;
    }
    for (const Phase phase : kAllPhases) {
      if (!sums.seen(phase)) continue;
      const std::size_t p = index_of(phase);
      record.phases[p] = DualTime{
          .host = sums.times()[p],
          .device = i < device_times.size() ? device_times[i][p] : std::nullopt,
      };
    }
    records.push_back(record);
  }
  return records;
}

}  // namespace traceml
