#include "harness/runner/step_recorder.h"

#include <gmock/gmock.h>

#include "harness/backends/local/fake_device_clock.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::SizeIs;

class StepRecorderTest : public testing::Test {
 protected:
  void phase(Phase name, Nanos time) {
    recorder_.enter(name);
    clock_.advance(time);
  }

  // One step in which every phase abuts the next.
  void usual_step() {
    recorder_.begin_step();
    phase(Phase::kInputWait, 10us);
    phase(Phase::kH2d, 20us);
    phase(Phase::kForward, 30us);
    phase(Phase::kLoss, 5us);
    phase(Phase::kBackward, 60us);
    phase(Phase::kOptimizer, 15us);
    recorder_.leave();
    recorder_.end_step();
  }

  std::vector<StepRecord> records() {
    return recorder_.records(ArmIndex{1}, WindowIndex{7}, 0, 0, {});
  }

  static std::optional<Nanos> host(const StepRecord& record, Phase phase) {
    const auto& time = record.phases[index_of(phase)];
    return time ? time->host : std::nullopt;
  }

  ManualClock clock_;
  StepRecorder recorder_{clock_, 4};
};

TEST_F(StepRecorderTest, GivesEachPhaseItsHostTimeAndTracedTheEnvelope) {
  clock_.advance(1ms);
  recorder_.begin_window(nullptr, {});
  usual_step();
  const auto all = records();
  ASSERT_THAT(all, SizeIs(1));
  const StepRecord& step = all.front();
  EXPECT_EQ(step.start_host, 1ms);
  EXPECT_EQ(host(step, Phase::kInputWait), 10us);
  EXPECT_EQ(host(step, Phase::kH2d), 20us);
  EXPECT_EQ(host(step, Phase::kForward), 30us);
  EXPECT_EQ(host(step, Phase::kLoss), 5us);
  EXPECT_EQ(host(step, Phase::kBackward), 60us);
  EXPECT_EQ(host(step, Phase::kOptimizer), 15us);
  EXPECT_EQ(host(step, Phase::kTraced), 130us);
  EXPECT_FALSE(step.phases[index_of(Phase::kDecode)].has_value()) << "did not occur: null";
  EXPECT_FALSE(step.phases[index_of(Phase::kForward)]->device.has_value()) << "no device clock";
  EXPECT_EQ(step.arm, ArmIndex{1});
  EXPECT_EQ(step.window, WindowIndex{7});
}

TEST_F(StepRecorderTest, SharesOneClockCallAndOneMarkWherePhasesAbut) {
  FakeDeviceClock device(clock_, 64);
  recorder_.begin_window(&device, {});
  usual_step();
  // The fake device looks at the host clock once a mark: 7 borders, 14 calls in all.
  EXPECT_EQ(clock_.calls(), 14);
  EXPECT_EQ(device.counters().high_water, 7);
  EXPECT_EQ(recorder_.step(0).count, 7u);
}

TEST_F(StepRecorderTest, MakesNoMarkWithoutADeviceClock) {
  recorder_.begin_window(nullptr, {});
  usual_step();
  EXPECT_EQ(clock_.calls(), 7);
  for (std::uint32_t i = 0; i < 7; ++i) EXPECT_FALSE(recorder_.border(i).mark.has_value());
}

TEST_F(StepRecorderTest, LeavesResidualOutOfPhasesButInsideTraced) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  phase(Phase::kInputWait, 10us);
  phase(Phase::kForward, 30us);
  recorder_.leave();
  clock_.advance(7us);  // residual
  phase(Phase::kBackward, 50us);
  recorder_.leave();
  clock_.advance(100us);  // outside the step
  recorder_.end_step();
  const auto all = records();
  EXPECT_EQ(host(all[0], Phase::kForward), 30us);
  EXPECT_EQ(host(all[0], Phase::kBackward), 50us);
  EXPECT_EQ(host(all[0], Phase::kTraced), 87us);
}

TEST_F(StepRecorderTest, SumsAPhaseThatIsCalledSeveralTimes) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  phase(Phase::kInputWait, 1us);
  phase(Phase::kDecode, 10us);
  phase(Phase::kH2d, 2us);
  phase(Phase::kDecode, 30us);
  phase(Phase::kForward, 5us);
  recorder_.end_step();
  EXPECT_EQ(host(records()[0], Phase::kDecode), 40us);
}

TEST_F(StepRecorderTest, GivesNoHostTimeToThePhasesOfAGraphAndTracedThatOfItsLaunch) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  phase(Phase::kInputWait, 10us);
  phase(Phase::kNormalize, 20us);
  EXPECT_EQ(recorder_.enter_in_graph(Phase::kForward), 0U) << "no device clock";
  recorder_.enter_in_graph(Phase::kBackward);
  clock_.advance(5us);
  recorder_.leave();
  recorder_.end_step();
  const StepRecord step = records().front();
  EXPECT_EQ(host(step, Phase::kInputWait), 10us);
  EXPECT_TRUE(step.phases[index_of(Phase::kForward)]) << "it occurred";
  EXPECT_EQ(host(step, Phase::kNormalize), std::nullopt);
  EXPECT_EQ(host(step, Phase::kForward), std::nullopt);
  EXPECT_EQ(host(step, Phase::kBackward), std::nullopt);
  EXPECT_EQ(host(step, Phase::kTraced), 25us);
}

TEST_F(StepRecorderTest, LeavesTracedNullWhereThereWasNoInputWait) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  phase(Phase::kForward, 5us);
  recorder_.end_step();
  EXPECT_FALSE(records()[0].phases[index_of(Phase::kTraced)].has_value());
}

TEST_F(StepRecorderTest, NeverLetsAnInputWaitAfterTheFirstCountTwice) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  phase(Phase::kInputWait, 10us);
  phase(Phase::kInputWait, 5us);
  phase(Phase::kForward, 30us);
  recorder_.end_step();
  EXPECT_EQ(host(records()[0], Phase::kInputWait), 15us);
  EXPECT_EQ(host(records()[0], Phase::kTraced), 30us);
}

TEST_F(StepRecorderTest, DropsAndCountsAStepWithTooManyBordersAndKeepsTheNext) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  for (std::uint32_t i = 0; i <= StepRecorder::kBordersPerStep; ++i) phase(Phase::kDecode, 1us);
  recorder_.end_step();
  usual_step();
  const auto all = records();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].step, StepIndex{1}) << "the gap stays visible";
  EXPECT_EQ(host(all[0], Phase::kForward), 30us);
  EXPECT_EQ(recorder_.dropped(), 1);
}

TEST_F(StepRecorderTest, DropsAndCountsStepsBeyondItsRoom) {
  FakeDeviceClock device(clock_, 256);
  recorder_.begin_window(&device, {});
  for (int i = 0; i < 6; ++i) usual_step();
  EXPECT_THAT(records(), SizeIs(4));
  EXPECT_EQ(recorder_.dropped(), 2);
  EXPECT_EQ(device.counters().high_water, 28) << "a step that has no record holds no mark";
}

TEST_F(StepRecorderTest, HasNoRecordOfAStepWithoutPhases) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  recorder_.end_step();
  EXPECT_THAT(records(), SizeIs(0));
  EXPECT_EQ(recorder_.dropped(), 1);
}

TEST_F(StepRecorderTest, KnowsTimedStepsAndForgetsThePreviousWindow) {
  recorder_.begin_window(nullptr, {});
  usual_step();
  recorder_.begin_window(nullptr, {});
  usual_step();
  usual_step();
  usual_step();
  const auto all = recorder_.records(ArmIndex{0}, std::nullopt, 10, 12, {});
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].step, StepIndex{10});
  EXPECT_FALSE(all[1].timed);
  EXPECT_TRUE(all[2].timed);
}

TEST_F(StepRecorderTest, NamesTheRunningPhaseAndNoneAfterTheStep) {
  recorder_.begin_window(nullptr, {});
  EXPECT_EQ(recorder_.current_phase(), std::nullopt);
  recorder_.begin_step();
  recorder_.enter(Phase::kBackward);
  EXPECT_EQ(recorder_.current_phase(), Phase::kBackward);
  recorder_.end_step();
  EXPECT_EQ(recorder_.current_phase(), std::nullopt);
}

TEST_F(StepRecorderTest, KeepsPeakMemoryWithItsStep) {
  recorder_.begin_window(nullptr, {});
  recorder_.begin_step();
  phase(Phase::kForward, 1us);
  recorder_.end_step(MemoryPeaks{123, 456});
  usual_step();
  const auto all = records();
  EXPECT_EQ(all[0].allocated_peak_bytes, 123);
  EXPECT_EQ(all[0].reserved_peak_bytes, 456);
  EXPECT_EQ(all[1].allocated_peak_bytes, std::nullopt);
}

}  // namespace
}  // namespace traceml
