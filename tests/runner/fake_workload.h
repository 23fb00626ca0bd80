#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/backends/local/fake_device_clock.h"
#include "harness/ports/workload.h"
#include "tests/runner/manual_clock.h"

namespace traceml {

// A training job of known cost: every call and every phase advances the clock by a fixed time and
// runs what a test has hung on it.
class FakeWorkload final : public Workload {
 public:
  explicit FakeWorkload(ManualClock& clock, FakeDeviceClock* device = nullptr)
      : clock_(clock), device_(device) {}

  // Runs `action` on the n-th (from 0) call of "begin", "step", "backward", "finish", ...
  void on(const std::string& call, int occurrence, std::function<void()> action) {
    actions_[{call, occurrence}] = std::move(action);
  }
  void set_contract(ArmIndex arm, const BatchContract& contract) {
    contracts_[arm.value] = contract;
  }
  void set_digest(std::uint64_t digest) { digest_ = digest; }
  void slow_arm(ArmIndex arm, Nanos extra) { extra_[arm.value] = extra; }

  const std::vector<std::string>& log() const { return log_; }
  int calls_of(const std::string& call) const {
    const auto found = counts_.find(call);
    return found == counts_.end() ? 0 : found->second;
  }
  bool saw_marks() const { return saw_marks_; }
  bool recorded_collectives() const { return record_; }

  void prepare(ArmIndex arm) override { call("prepare", arm.value); }
  BatchContract contract(ArmIndex arm) override {
    call("contract", arm.value);
    return contracts_[arm.value];
  }
  void begin(ArmIndex arm, std::int64_t first_batch, Instrument instrument) override {
    arm_ = arm.value;
    record_ = instrument != Instrument::kNone;
    steps_since_begin_ = 0;
    call("begin", first_batch);
  }
  void step(PhaseMarks* marks) override {
    saw_marks_ = saw_marks_ || marks != nullptr;
    call("step");
    phase(marks, Phase::kInputWait, std::chrono::microseconds(100));
    phase(marks, Phase::kForward, std::chrono::microseconds(300) + extra_[arm_]);
    phase(marks, Phase::kBackward, std::chrono::microseconds(500));
    phase(marks, Phase::kOptimizer, std::chrono::microseconds(100));
    leave(marks);
    if (record_) {
      CollectiveRecord record;
      record.step = StepIndex{steps_since_begin_};
      record.bytes = 4096;
      collectives_.push_back(record);
    }
    ++steps_since_begin_;
  }
  void finish() override {
    if (device_ != nullptr) clock_.advance(std::chrono::seconds(1));
    call("finish");
  }
  std::optional<std::int64_t> queue_depth() const override { return 2; }
  void mark_first_loss() override { call("mark_first_loss"); }
  WindowLosses end() override {
    call("end");
    return {.first = 2.5, .last = 1.5};
  }
  std::vector<CollectiveRecord> take_collectives() override {
    call("take_collectives");
    return std::exchange(collectives_, {});
  }
  DeviceQueue training_queue() const override { return {}; }
  // 1000 and 2000 bytes more with each step.
  std::optional<MemoryPeaks> take_memory_peaks() override {
    return MemoryPeaks{1000 * steps_since_begin_, 2000 * steps_since_begin_};
  }
  std::optional<std::uint64_t> parameters_digest() override {
    call("parameters_digest");
    return digest_;
  }
  std::map<std::string, std::string> facts() const override { return {{"model", "fake"}}; }
  std::map<std::string, std::int64_t> counters() const override {
    return {{"samples_replaced", 2}};
  }
  std::vector<std::string> replaced_files() const override {
    return {"a/1.jpg is empty", "b/2.jpg is truncated"};
  }

 private:
  void call(const std::string& name, std::optional<std::int64_t> argument = std::nullopt) {
    log_.push_back(argument ? name + " " + std::to_string(*argument) : name);
    trigger(name);
  }
  void trigger(const std::string& name) {
    const auto action = actions_.find({name, counts_[name]++});
    if (action != actions_.end()) action->second();
  }
  void phase(PhaseMarks* marks, Phase phase, Nanos time) {
    enter(marks, phase);
    trigger(std::string(name_of(phase)));
    if (device_ != nullptr && phase != Phase::kInputWait) device_->enqueue(time);
    clock_.advance(time);
  }

  ManualClock& clock_;
  FakeDeviceClock* device_;
  std::map<std::pair<std::string, int>, std::function<void()>> actions_;
  std::map<std::string, int> counts_;
  std::vector<std::string> log_;
  std::map<int, BatchContract> contracts_;
  std::map<int, Nanos> extra_;
  std::vector<CollectiveRecord> collectives_;
  std::int64_t steps_since_begin_ = 0;
  int arm_ = 0;
  bool record_ = false;
  bool saw_marks_ = false;
  std::uint64_t digest_ = 42;
};

}  // namespace traceml
