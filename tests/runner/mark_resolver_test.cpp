#include "harness/runner/mark_resolver.h"

#include <gmock/gmock.h>

#include "harness/backends/local/fake_device_clock.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using Reach = MarkResolver::Reach;

// Marks of a step: 0 input_wait | 1 forward | 2 backward | 3 optimizer | 4 end.
constexpr std::int64_t kMarksPerStep = 5;

class MarkResolverTest : public testing::Test {
 protected:
  explicit MarkResolverTest(std::uint32_t pool = 64) : device_(clock_, pool) {
    recorder_.begin_window(&device_, {});
  }

  // The host issues a step in 4 us; the device works 100 us on it.
  void step() {
    recorder_.begin_step();
    phase(Phase::kInputWait, 0us);
    phase(Phase::kForward, 30us);
    phase(Phase::kBackward, 60us);
    phase(Phase::kOptimizer, 10us);
    recorder_.end_step();
  }

  void phase(Phase phase, Nanos device_work) {
    recorder_.enter(phase);
    if (device_work > 0us) device_.enqueue(device_work);
    clock_.advance(1us);
  }

  void let_device_finish() { clock_.advance(10s); }

  std::optional<Nanos> time(std::size_t step, Phase phase) const {
    return resolver_.times().at(step)[index_of(phase)];
  }

  ManualClock clock_;
  FakeDeviceClock device_;
  StepRecorder recorder_{clock_, 64};
  MarkResolver resolver_{device_, recorder_};
};

TEST_F(MarkResolverTest, GivesDeviceTimesOfTheDeviceAndNotOfTheHost) {
  step();
  let_device_finish();
  EXPECT_TRUE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kInputWait), 1us) << "an idle device waits as long as the host";
  EXPECT_EQ(time(0, Phase::kForward), 30us);
  EXPECT_EQ(time(0, Phase::kBackward), 60us);
  EXPECT_EQ(time(0, Phase::kOptimizer), 10us);
  EXPECT_EQ(time(0, Phase::kTraced), 100us);
}

TEST_F(MarkResolverTest, MeasuresAZeroInputWaitWhileTheDeviceIsBusy) {
  step();
  step();
  let_device_finish();
  resolver_.pass(Reach::kAll);
  EXPECT_EQ(time(1, Phase::kInputWait), 0us) << "a measured zero, not null";
}

TEST_F(MarkResolverTest, LeavesAStepAloneUntilItHasEnded) {
  recorder_.begin_step();
  phase(Phase::kForward, 1us);
  let_device_finish();
  EXPECT_TRUE(resolver_.pass(Reach::kAll));
  EXPECT_TRUE(resolver_.times().empty());
}

// A graph of forward and backward: its marks are reserved before the launch and recorded by it.
TEST_F(MarkResolverTest, TakesTheMarksOfAGraphOnceTheMarkBehindItIsReached) {
  recorder_.begin_step();
  phase(Phase::kInputWait, 0us);
  phase(Phase::kNormalize, 5us);
  const std::uintptr_t forward = recorder_.enter_in_graph(Phase::kForward);
  const std::uintptr_t backward = recorder_.enter_in_graph(Phase::kBackward);
  device_.record_event(forward);
  device_.enqueue(30us);
  device_.record_event(backward);
  device_.enqueue(60us);
  recorder_.leave();
  recorder_.end_step();

  clock_.advance(80us);
  EXPECT_FALSE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kForward), std::nullopt) << "the graph still runs";
  let_device_finish();
  EXPECT_TRUE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kNormalize), 5us);
  EXPECT_EQ(time(0, Phase::kForward), 30us);
  EXPECT_EQ(time(0, Phase::kBackward), 60us);
  EXPECT_EQ(time(0, Phase::kTraced), 95us);
}

// The slots of a graph's marks were used before: until the graph runs they look reached.
TEST_F(MarkResolverTest, GivesNoTimeOfAGraphWhoseLastMarkIsMissing) {
  recorder_.begin_step();
  phase(Phase::kInputWait, 0us);
  recorder_.enter_in_graph(Phase::kForward);
  device_.script(2, MarkFault::kRefused);
  recorder_.leave();
  recorder_.end_step();
  let_device_finish();
  EXPECT_TRUE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kForward), std::nullopt);
}

TEST_F(MarkResolverTest, TakesALateMarkUpOnALaterPass) {
  device_.script_late(2, 3);
  step();
  let_device_finish();
  EXPECT_FALSE(resolver_.pass(Reach::kAll));
  EXPECT_FALSE(resolver_.pass(Reach::kAll));
  EXPECT_FALSE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kForward), std::nullopt);
  EXPECT_TRUE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kForward), 30us);
  EXPECT_EQ(resolver_.unresolved(), 0);
}

TEST_F(MarkResolverTest, LetsALostMarkCostItsTwoPhasesAndNothingBehindIt) {
  device_.script(2, MarkFault::kLost);  // between forward and backward of step 0
  step();
  step();
  let_device_finish();
  EXPECT_FALSE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(1, Phase::kForward), 30us) << "the step behind is resolved at once";
  resolver_.give_up();
  EXPECT_EQ(time(0, Phase::kForward), std::nullopt);
  EXPECT_EQ(time(0, Phase::kBackward), std::nullopt);
  EXPECT_EQ(time(0, Phase::kOptimizer), 10us);
  EXPECT_EQ(time(0, Phase::kTraced), 100us);
  EXPECT_EQ(resolver_.unresolved(), 1);
}

TEST_F(MarkResolverTest, LosesTracedWithTheEndOfInputWait) {
  device_.script(1, MarkFault::kLost);
  step();
  let_device_finish();
  resolver_.pass(Reach::kAll);
  resolver_.give_up();
  EXPECT_EQ(time(0, Phase::kTraced), std::nullopt);
  EXPECT_EQ(time(0, Phase::kBackward), 60us);
}

TEST_F(MarkResolverTest, CountsAFailedMarkOnceAndMakesItNull) {
  device_.script(4, MarkFault::kFails);
  step();
  let_device_finish();
  EXPECT_TRUE(resolver_.pass(Reach::kAll)) << "failed is final";
  EXPECT_EQ(time(0, Phase::kOptimizer), std::nullopt);
  EXPECT_EQ(time(0, Phase::kBackward), 60us);
  EXPECT_EQ(device_.counters().errored, 1);
  EXPECT_EQ(resolver_.unresolved(), 0);
}

TEST_F(MarkResolverTest, MakesARefusedMarkNull) {
  device_.script(3, MarkFault::kRefused);
  step();
  let_device_finish();
  EXPECT_TRUE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kBackward), std::nullopt);
  EXPECT_EQ(time(0, Phase::kOptimizer), std::nullopt);
  EXPECT_EQ(time(0, Phase::kForward), 30us);
}

TEST_F(MarkResolverTest, MakesASumNullWhereAnyOfItsPartsLacksATime) {
  device_.script(1, MarkFault::kLost);      // the end of step 0's first decode
  device_.script(5 + 3, MarkFault::kLost);  // the end of step 1's second one
  for (int i = 0; i < 2; ++i) {
    recorder_.begin_step();
    phase(Phase::kDecode, 5us);
    phase(Phase::kH2d, 1us);
    phase(Phase::kDecode, 5us);
    phase(Phase::kForward, 3us);
    recorder_.end_step();
  }
  let_device_finish();
  resolver_.pass(Reach::kAll);
  resolver_.give_up();
  EXPECT_EQ(time(0, Phase::kDecode), std::nullopt) << "a partial sum is not a measurement";
  EXPECT_EQ(time(1, Phase::kDecode), std::nullopt);
  EXPECT_EQ(time(0, Phase::kForward), 3us);
  EXPECT_EQ(time(1, Phase::kH2d), 1us);
}

TEST_F(MarkResolverTest, GivesMarksBackSoThatAPoolServesManySteps) {
  for (int i = 0; i < 40; ++i) {
    step();
    let_device_finish();
    EXPECT_TRUE(resolver_.pass(Reach::kOldest));
  }
  EXPECT_EQ(device_.counters().exhausted, 0);
  EXPECT_EQ(device_.counters().high_water, kMarksPerStep);
  EXPECT_EQ(device_.counters().reused, 40 * kMarksPerStep - 64);
}

TEST_F(MarkResolverTest, AsksOnlyAFewPendingMarksOnAnOrdinaryPass) {
  for (int i = 0; i < 8; ++i) step();
  const std::int64_t before = clock_.calls();
  EXPECT_FALSE(resolver_.pass(Reach::kOldest));
  EXPECT_LE(clock_.calls() - before, 8) << "the fake looks at its clock once a query";
}

TEST_F(MarkResolverTest, ReachesPastAnyNumberOfLostMarksOnAFullPass) {
  for (std::int64_t mark = 0; mark < 4 * kMarksPerStep; ++mark) {
    device_.script(mark, MarkFault::kLost);
  }
  for (int i = 0; i < 5; ++i) step();
  let_device_finish();
  EXPECT_FALSE(resolver_.pass(Reach::kOldest));
  EXPECT_EQ(time(4, Phase::kForward), std::nullopt);
  EXPECT_FALSE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(4, Phase::kForward), 30us);
  resolver_.give_up();
  EXPECT_EQ(resolver_.unresolved(), 4 * kMarksPerStep);
}

class SmallPoolTest : public MarkResolverTest {
 protected:
  SmallPoolTest() : MarkResolverTest(7) {}
};

TEST_F(SmallPoolTest, SkipsAndCountsMarksWhileThePoolIsExhausted) {
  step();
  step();  // two marks left, three refused
  let_device_finish();
  EXPECT_TRUE(resolver_.pass(Reach::kAll));
  EXPECT_EQ(time(0, Phase::kTraced), 100us);
  EXPECT_EQ(time(1, Phase::kInputWait), 0us);
  EXPECT_EQ(time(1, Phase::kForward), std::nullopt);
  EXPECT_EQ(time(1, Phase::kTraced), std::nullopt);
  EXPECT_EQ(device_.counters().exhausted, 3);
  step();
  let_device_finish();
  resolver_.pass(Reach::kAll);
  EXPECT_EQ(time(2, Phase::kTraced), 100us) << "the pool has recovered";
}

TEST_F(SmallPoolTest, RetiresAMarkThatNeverBecameFinal) {
  device_.script(0, MarkFault::kLost);
  step();
  let_device_finish();
  resolver_.pass(Reach::kAll);
  resolver_.give_up();
  step();
  EXPECT_EQ(device_.counters().exhausted, 0);
  step();  // six usable marks: one left for five
  EXPECT_EQ(device_.counters().exhausted, 4);
}

}  // namespace
}  // namespace traceml
