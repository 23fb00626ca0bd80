#include "harness/runner/step_loop.h"

#include <gmock/gmock.h>

#include "harness/backends/local/single_rank.h"
#include "tests/runner/fake_workload.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

CampaignFacts facts() {
  CampaignFacts facts;
  facts.settle_steps = 2;
  facts.steps_per_window = 4;
  facts.warmup_steps = 3;
  facts.arms.resize(3);
  facts.arms[0].name = "shipped";
  facts.arms[1].name = "shipped/none";
  facts.arms[1].instrument = Instrument::kNone;
  facts.arms[2].name = "shipped/host";
  facts.arms[2].instrument = Instrument::kHost;
  return facts;
}

PlannedWindow planned(int arm) {
  return {.index = WindowIndex{5}, .arm = ArmIndex{arm}, .block = 2, .order = 1, .first_batch = 12};
}

class CountingTransport final : public Transport {
 public:
  Rank rank() const override { return Rank{0}; }
  int world_size() const override { return 1; }
  void barrier() override { ++barriers; }
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  std::string broadcast(const std::string& bytes) override { return bytes; }
  [[noreturn]] void fail(const std::string& sentence, ExitCode code) override {
    throw RankEnded(code, sentence);
  }
  int barriers = 0;
};

class StepLoopTest : public testing::Test {
 protected:
  StepLoop loop(DeviceClock* device = nullptr) {
    return StepLoop(facts_, 1s, LoopPorts{workload_, transport_, clock_, device, position_});
  }

  CampaignFacts facts_ = facts();
  ManualClock clock_;
  FakeWorkload workload_{clock_};
  CountingTransport transport_;
  Position position_;
};

TEST_F(StepLoopTest, RunsSettleStepsBarrierTimedStepsAndCompletionInThisOrder) {
  loop().run(planned(0));
  EXPECT_THAT(workload_.log(),
              ElementsAre("begin 12", "step", "step", "finish", "mark_first_loss", "step", "step",
                          "step", "step", "finish", "end", "take_collectives"));
  EXPECT_EQ(transport_.barriers, 2);
}

TEST_F(StepLoopTest, TimesTheWindowFromAfterTheSettleStepsToTheCompletionOfTheLast) {
  workload_.on("finish", 1, [this] { clock_.advance(7ms); });
  workload_.on("end", 0, [this] { clock_.advance(1h); });
  const WindowRecord window = *loop().run(planned(0)).window;
  EXPECT_EQ(window.end_host - window.start_host, 4 * 1ms + 7ms);
  EXPECT_EQ(window.steps, 4);
  EXPECT_EQ(window.block, 2);
  EXPECT_EQ(window.order, 1);
  EXPECT_EQ(window.window, WindowIndex{5});
  EXPECT_EQ(window.queue_start, 2);
  EXPECT_EQ(window.loss_first, 2.5);
  EXPECT_EQ(window.loss_last, 1.5);
}

TEST_F(StepLoopTest, RecordsSettleStepsAsUntimed) {
  const Measured measured = loop().run(planned(0));
  ASSERT_THAT(measured.steps, SizeIs(6));
  for (const StepRecord& step : measured.steps) {
    EXPECT_EQ(step.timed, step.step.value >= 2);
    EXPECT_EQ(step.phases[index_of(Phase::kTraced)]->host, 900us);
    EXPECT_EQ(step.window, WindowIndex{5});
  }
  ASSERT_THAT(measured.collectives, SizeIs(6));
  EXPECT_EQ(measured.collectives[5].step, StepIndex{5});
  EXPECT_EQ(measured.collectives[5].window, WindowIndex{5});
}

TEST_F(StepLoopTest, GivesEveryStepTheMemoryThatItTook) {
  const Measured measured = loop().run(planned(0));
  ASSERT_THAT(measured.steps, SizeIs(6));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(measured.steps[i].allocated_peak_bytes, 1000 * static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(measured.steps[i].reserved_peak_bytes, 2000 * static_cast<std::int64_t>(i + 1));
  }
}

TEST_F(StepLoopTest, HasNoHooksInABareArm) {
  FakeDeviceClock device(clock_, 64);
  StepLoop bare = loop(&device);
  const std::int64_t before = clock_.calls();
  const Measured measured = bare.run(planned(1));
  EXPECT_EQ(clock_.calls() - before, 2) << "the start and the end of the window, nothing else";
  EXPECT_FALSE(workload_.saw_marks());
  EXPECT_FALSE(workload_.recorded_collectives());
  EXPECT_EQ(workload_.calls_of("take_collectives"), 0);
  EXPECT_EQ(device.counters().high_water, 0);
  EXPECT_THAT(measured.steps, IsEmpty());
  EXPECT_THAT(measured.collectives, IsEmpty());
}

TEST_F(StepLoopTest, MakesNoDeviceMarkInAnArmThatRecordsOnTheHostAlone) {
  FakeDeviceClock device(clock_, 64);
  const Measured measured = loop(&device).run(planned(2));
  EXPECT_EQ(device.counters().high_water, 0);
  ASSERT_THAT(measured.steps, SizeIs(6));
  EXPECT_EQ(measured.steps[0].phases[index_of(Phase::kForward)]->host, 300us);
  EXPECT_EQ(measured.steps[0].phases[index_of(Phase::kForward)]->device, std::nullopt);
}

TEST_F(StepLoopTest, GivesEveryStepItsOwnDeviceTimes) {
  FakeDeviceClock device(clock_, 64);
  FakeWorkload workload(clock_, &device);
  workload.on("forward", 3, [&] { device.enqueue(50us); });
  device.script(4 * 5 + 1, MarkFault::kLost);  // step 4, between input_wait and forward
  StepLoop with_device(facts_, 0ms, LoopPorts{workload, transport_, clock_, &device, position_});
  const Measured measured = with_device.run(planned(0));
  ASSERT_THAT(measured.steps, SizeIs(6));
  const auto forward = [&](std::size_t step) {
    return measured.steps[step].phases[index_of(Phase::kForward)]->device;
  };
  EXPECT_TRUE(forward(2).has_value());
  EXPECT_EQ(forward(3).value() - forward(2).value(), 50us);
  EXPECT_EQ(forward(4), std::nullopt);
  EXPECT_TRUE(forward(5).has_value());
  EXPECT_EQ(with_device.counters().at("events_unresolved"), 1);
}

TEST_F(StepLoopTest, RecordsWarmUpStepsUntimedAndOutsideAnyWindow) {
  std::optional<int> rounds;
  const Measured measured = loop().warm_up(ArmIndex{0}, rounds, 0s);
  EXPECT_EQ(rounds, 1);
  EXPECT_FALSE(measured.window.has_value());
  ASSERT_THAT(measured.steps, SizeIs(3));
  for (const StepRecord& step : measured.steps) {
    EXPECT_FALSE(step.timed);
    EXPECT_EQ(step.window, std::nullopt);
  }
  EXPECT_EQ(measured.steps[2].step, StepIndex{2});
}

TEST_F(StepLoopTest, WarmsUpInWholeRoundsUntilTheTimeHasPassedAndTheNextArmAsOften) {
  std::optional<int> rounds;
  StepLoop all = loop();
  const Measured first = all.warm_up(ArmIndex{0}, rounds, 10ms);  // 3 ms a round
  EXPECT_EQ(rounds, 4);
  EXPECT_THAT(first.steps, SizeIs(12));
  EXPECT_EQ(first.steps[11].step, StepIndex{11});
  EXPECT_EQ(workload_.calls_of("step"), 12);
  all.warm_up(ArmIndex{1}, rounds, 0s);
  EXPECT_EQ(workload_.calls_of("step"), 24);
}

// Says when it was read.
class FakeMonitor final : public DeviceMonitor {
 public:
  FakeMonitor(ManualClock& clock, const CountingTransport& transport)
      : clock_(clock), transport_(transport) {}

  DeviceState read() noexcept override {
    read_after_barriers.push_back(transport_.barriers);
    clock_.advance(5ms);
    DeviceState state;
    state.sm_clock_mhz = 1980 - 10 * static_cast<int>(read_after_barriers.size());
    state.throttle_reasons = 4;
    return state;
  }

  std::vector<int> read_after_barriers;

 private:
  ManualClock& clock_;
  const CountingTransport& transport_;
};

TEST_F(StepLoopTest, ReadsTheDeviceOutsideTheBarriersOfAWindow) {
  FakeMonitor monitor(clock_, transport_);
  StepLoop watched(facts_, 1s,
                   LoopPorts{workload_, transport_, clock_, nullptr, position_, nullptr, &monitor});
  const Measured measured = watched.run(planned(1));
  EXPECT_THAT(monitor.read_after_barriers, ElementsAre(0, 2));
  EXPECT_EQ(measured.window->end_host - measured.window->start_host, 4 * 1ms);
  ASSERT_THAT(measured.devices, SizeIs(2));
  EXPECT_EQ(measured.devices[0].window, WindowIndex{5});
  EXPECT_EQ(measured.devices[0].when, DeviceWhen::kBefore);
  EXPECT_EQ(measured.devices[0].sm_clock_mhz, 1970);
  EXPECT_EQ(measured.devices[1].when, DeviceWhen::kAfter);
  EXPECT_EQ(measured.devices[1].sm_clock_mhz, 1960);
  EXPECT_EQ(measured.devices[1].throttle_reasons, 4u);
  EXPECT_EQ(measured.devices[1].power_w, std::nullopt);
}

TEST_F(StepLoopTest, ReadsNoDeviceWithoutAMonitorAndNoneInWarmUp) {
  EXPECT_THAT(loop().run(planned(0)).devices, IsEmpty());
  FakeMonitor monitor(clock_, transport_);
  StepLoop watched(facts_, 1s,
                   LoopPorts{workload_, transport_, clock_, nullptr, position_, nullptr, &monitor});
  std::optional<int> rounds = 1;
  watched.warm_up(ArmIndex{0}, rounds, 0s);
  EXPECT_THAT(monitor.read_after_barriers, IsEmpty());
}

TEST_F(StepLoopTest, KnowsThePhaseInWhichAStepThrew) {
  workload_.on("backward", 3, [] { throw RunError("planted"); });
  StepLoop throwing = loop();
  EXPECT_THROW(throwing.run(planned(0)), RunError);
  EXPECT_EQ(throwing.current_phase(), Phase::kBackward);
  EXPECT_EQ(position_.view().step, 3);
  EXPECT_EQ(position_.view().window, WindowIndex{5});
}

}  // namespace
}  // namespace traceml
