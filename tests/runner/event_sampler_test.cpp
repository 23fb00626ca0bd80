#include "harness/runner/event_sampler.h"

#include <gmock/gmock.h>

#include "harness/backends/local/fake_device_clock.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

class EventSamplerTest : public testing::Test {
 protected:
  void step(Nanos host_time) {
    recorder_.begin_step();
    for (const Phase phase : {Phase::kInputWait, Phase::kForward, Phase::kBackward}) {
      recorder_.enter(phase);
      device_.enqueue(10us);
      clock_.advance(host_time);
    }
    recorder_.end_step();
  }

  ManualClock clock_;
  FakeDeviceClock device_{clock_, 2048};
  StepRecorder recorder_{clock_, 500};
};

TEST_F(EventSamplerTest, ResolvesWhatTheTrainingThreadRecordsMeanwhile) {
  recorder_.begin_window(&device_, {});
  EventSampler sampler(device_, clock_, recorder_);
  for (int i = 0; i < 500; ++i) step(10us);
  clock_.advance(1s);
  sampler.drain(1s);
  ASSERT_EQ(sampler.times().size(), 500u);
  for (const PhaseTimes& times : sampler.times()) {
    EXPECT_EQ(times[index_of(Phase::kForward)], 10us);
    EXPECT_EQ(times[index_of(Phase::kTraced)], 20us);
  }
  EXPECT_EQ(sampler.unresolved(), 0);
}

TEST_F(EventSamplerTest, EndsTheDrainAtItsDeadlineAndCountsTheRest) {
  device_.script(1, MarkFault::kLost);
  recorder_.begin_window(&device_, {});
  EventSampler sampler(device_, clock_, recorder_);
  step(10us);
  clock_.advance(1s);
  clock_.tick(1ms);  // waiting makes time pass
  sampler.drain(50ms);
  EXPECT_EQ(sampler.unresolved(), 1);
  EXPECT_EQ(sampler.times()[0][index_of(Phase::kBackward)], 10us);
  EXPECT_EQ(sampler.times()[0][index_of(Phase::kForward)], std::nullopt);
}

TEST_F(EventSamplerTest, KeepsQueryingALateMarkDuringTheDrain) {
  device_.script_late(3, 40);
  recorder_.begin_window(&device_, {});
  EventSampler sampler(device_, clock_, recorder_);
  step(10us);
  clock_.advance(1s);
  sampler.drain(1s);  // the clock stands: only resolution ends this drain
  EXPECT_EQ(sampler.unresolved(), 0);
  EXPECT_EQ(sampler.times()[0][index_of(Phase::kBackward)], 10us);
}

TEST_F(EventSamplerTest, StopsWithoutADrainWhenAWindowIsAbandoned) {
  device_.script(0, MarkFault::kLost);
  recorder_.begin_window(&device_, {});
  {
    const EventSampler sampler(device_, clock_, recorder_);
    step(10us);
  }
  SUCCEED();
}

}  // namespace
}  // namespace traceml
