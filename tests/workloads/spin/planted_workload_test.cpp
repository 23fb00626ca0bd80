#include "workloads/spin/planted_workload.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/backends/local/single_rank.h"
#include "harness/core/error.h"
#include "tests/runner/fake_workload.h"
#include "tests/runner/manual_clock.h"
#include "tests/workloads/spin/spin_plan.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::spin_plan;

// Phase -> its time in the last step, as its marks say.
class SeenPhases final : public PhaseMarks {
 public:
  explicit SeenPhases(ManualClock& clock) : clock_(clock) {}
  void enter(Phase phase) noexcept override {
    leave();
    running_ = phase;
  }
  void leave() noexcept override {
    const Nanos now = clock_.now();
    if (running_) times[*running_] = now - since_;
    running_ = std::nullopt;
    since_ = now;
  }

  std::map<Phase, Nanos> times;

 private:
  ManualClock& clock_;
  std::optional<Phase> running_;
  Nanos since_{};
};

// A job of 1 ms steps (forward 0.3 ms, backward 0.5 ms), planted, on a clock that moves 100 ns with
// each look: what is not planted costs less than kLooks.
class PlantedJob : public ::testing::Test {
 protected:
  static constexpr Nanos kLooks = 3us;

  void plant(const std::string& text, DeviceDelay* device = nullptr) {
    clock_.tick(100ns);
    plan_ = spin_plan(2, text, {{"workload.clock", "real"}});
    planter_ = std::make_unique<Planter>(plan_, Rank{1}, clock_, real_, device);
    auto inner = std::make_unique<FakeWorkload>(clock_);
    inner_ = inner.get();
    job_ = planter_->around(std::move(inner));
    for (const int arm : {0, 1}) begin(arm);  // warm-ups
  }

  void begin(int arm) { job_->begin(ArmIndex{arm}, 0, Instrument::kNone); }

  Nanos step(PhaseMarks* marks = nullptr) {
    const Nanos before = clock_.now();
    job_->step(marks);
    return clock_.now() - before;
  }

  static void expect_about(Nanos measured, Nanos wanted) {
    EXPECT_GE(measured, wanted);
    EXPECT_LT(measured, wanted + kLooks);
  }

  ManualClock clock_;
  SingleCollective real_;
  Plan plan_;
  std::unique_ptr<Planter> planter_;
  FakeWorkload* inner_ = nullptr;
  std::unique_ptr<Workload> job_;
};

// Notes what is to be stretched, and by how much.
class SeenStretches final : public DeviceDelay {
 public:
  void enqueue(DeviceQueue, Nanos) override {}
  bool begin_stretch(DeviceQueue) noexcept override {
    ++begun;
    return works;
  }
  bool end_stretch(DeviceQueue, double fraction) noexcept override {
    fractions.push_back(fraction);
    return works;
  }

  int begun = 0;
  std::vector<double> fractions;
  bool works = true;
};

TEST_F(PlantedJob, slows_the_devices_work_of_forward_and_backward_down_as_it_does_the_hosts) {
  SeenStretches device;
  plant("[{slowdown: 50%}]", &device);
  begin(1);
  step();
  EXPECT_EQ(device.begun, 2);
  EXPECT_EQ(device.fractions, (std::vector<double>{0.5, 0.5}));
  begin(0);
  step();
  EXPECT_EQ(device.begun, 2) << "the other arm has no plants";
  device.works = false;
  begin(1);
  EXPECT_THROW(step(), RunError);
}

TEST_F(PlantedJob, stretches_nothing_on_the_device_without_a_slowdown) {
  SeenStretches device;
  plant("[{stall: {every: 1, ms: 1, phase: forward}}]", &device);
  begin(1);
  step();
  EXPECT_EQ(device.begun, 0);
  EXPECT_TRUE(device.fractions.empty());
}

TEST_F(PlantedJob, leaves_an_arm_without_plants_as_it_is) {
  plant("[{slowdown: 50%}, {untracked: {ms: 1}}]");
  begin(0);
  step();
  EXPECT_FALSE(inner_->saw_marks());
  begin(1);
  step();
  EXPECT_TRUE(inner_->saw_marks()) << "a bare arm's plants need to know its phases";
}

TEST_F(PlantedJob, is_slowed_down_in_forward_and_backward) {
  plant("[{slowdown: 50%}]");
  begin(1);
  SeenPhases seen(clock_);
  expect_about(step(&seen), 1400us);
  expect_about(seen.times[Phase::kForward], 450us);
  expect_about(seen.times[Phase::kBackward], 750us);
  expect_about(seen.times[Phase::kOptimizer], 100us);
}

TEST_F(PlantedJob, is_slowed_down_without_marks_too) {
  plant("[{slowdown: 50%}]");
  begin(1);
  expect_about(step(), 1400us);
}

TEST_F(PlantedJob, stalls_in_the_phase_that_was_named) {
  plant("[{stall: {every: 2, ms: 5, phase: input_wait}}]");
  begin(1);
  SeenPhases seen(clock_);
  expect_about(step(&seen), 1000us);
  expect_about(step(&seen), 6000us);
  expect_about(seen.times[Phase::kInputWait], 5100us);
  expect_about(seen.times[Phase::kForward], 300us);
}

TEST_F(PlantedJob, has_its_untracked_cost_after_the_last_phase) {
  plant("[{untracked: {ms: 2}}]");
  begin(1);
  SeenPhases seen(clock_);
  expect_about(step(&seen), 3000us);
  expect_about(seen.times[Phase::kOptimizer], 100us);
}

TEST_F(PlantedJob, drifts_over_the_run) {
  plant("[{drift: 60%}]");
  for (int window = 0; window < 6; ++window) begin(0);
  begin(1);  // window 6 of 12
  expect_about(step(), 1300us);
}

TEST_F(PlantedJob, delays_the_first_bucket_of_a_step) {
  plant("[{delay: {rank: 1, ms: 4}}]");
  begin(1);
  float number = 0;
  const auto reduce = [&] { planter_->collective().all_reduce_mean({0, &number, 1, {}, {}}); };
  inner_->on("backward", 0, [&] {
    reduce();
    reduce();
  });
  expect_about(step(), 5000us);
}

TEST_F(PlantedJob, delays_no_other_rank) {
  plant("[{delay: {rank: 0, ms: 4}}]");
  begin(1);
  float number = 0;
  inner_->on("backward", 0, [&] {
    planter_->collective().all_reduce_mean({0, &number, 1, {}, {}});
  });
  expect_about(step(), 1000us);
}

TEST_F(PlantedJob, throws_where_it_was_planted) {
  plant("[{fault: {rank: 1, window: 0, step: 1, how: throw}}]");
  begin(1);
  step();
  EXPECT_THROW(step(), RunError);
}

TEST_F(PlantedJob, throws_at_the_all_reduce) {
  plant("[{fault: {rank: 1, step: 0, phase: allreduce, how: throw}}]");
  begin(1);
  float number = 0;
  inner_->on("backward", 0, [&] {
    planter_->collective().all_reduce_mean({0, &number, 1, {}, {}});
  });
  EXPECT_THROW(step(), RunError);
  EXPECT_EQ(inner_->calls_of("backward"), 1);
}

TEST_F(PlantedJob, dies_in_the_phase_that_was_named) {
  plant("[{fault: {rank: 1, step: 0, phase: backward, how: exit}}]");
  begin(1);
  EXPECT_EXIT(step(), ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace traceml
