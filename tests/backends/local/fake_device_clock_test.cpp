#include "harness/backends/local/fake_device_clock.h"

#include <gtest/gtest.h>

#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

class FakeDeviceClockTest : public testing::Test {
 protected:
  DeviceMark mark() { return device_.mark({}).value(); }

  ManualClock clock_;
  FakeDeviceClock device_{clock_, 3};
};

TEST_F(FakeDeviceClockTest, ReachesAMarkWhenTheWorkBeforeItIsDone) {
  device_.enqueue(10us);
  const DeviceMark after = mark();
  EXPECT_EQ(device_.query(after), MarkState::kPending);
  clock_.advance(9us);
  EXPECT_EQ(device_.query(after), MarkState::kPending);
  clock_.advance(1us);
  EXPECT_EQ(device_.query(after), MarkState::kReached);
}

TEST_F(FakeDeviceClockTest, RunsQueuedWorkBackToBackAndWaitsForLateWork) {
  const DeviceMark begin = mark();
  device_.enqueue(10us);
  device_.enqueue(5us);
  const DeviceMark middle = mark();
  clock_.advance(100us);
  const DeviceMark idle = mark();
  EXPECT_EQ(device_.query(begin), MarkState::kReached);
  EXPECT_EQ(device_.query(middle), MarkState::kReached);
  EXPECT_EQ(device_.query(idle), MarkState::kReached);
  EXPECT_EQ(device_.elapsed(begin, middle), 15us);
  EXPECT_EQ(device_.elapsed(middle, idle), 85us);
}

TEST_F(FakeDeviceClockTest, BeginsWorkThatComesToAnIdleDeviceWhenItComes) {
  device_.enqueue(10us);
  clock_.advance(50us);
  device_.enqueue(3us);
  EXPECT_EQ(device_.busy_until(), 53us);
}

TEST_F(FakeDeviceClockTest, HoldsALostMarkPendingForEver) {
  device_.script(0, MarkFault::kLost);
  const DeviceMark lost = mark();
  clock_.advance(1h);
  EXPECT_EQ(device_.query(lost), MarkState::kPending);
}

TEST_F(FakeDeviceClockTest, CountsAFailedMarkOnceAndReusesIt) {
  device_.script(0, MarkFault::kFails);
  const DeviceMark failed = mark();
  const DeviceMark good = mark();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device_.query(failed), MarkState::kFailed);
  EXPECT_EQ(device_.query(good), MarkState::kReached);
  EXPECT_EQ(device_.elapsed(failed, good), std::nullopt);
  EXPECT_EQ(device_.counters().errored, 1);
  device_.recycle(failed);
  mark();
  EXPECT_EQ(device_.mark({}), failed);
}

}  // namespace
}  // namespace traceml
