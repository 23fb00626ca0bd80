#include "tests/backends/device_clock_contract.h"

#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "tests/required_hardware.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

class DeviceClockContract : public testing::TestWithParam<DeviceClockCase> {
 protected:
  void SetUp() override { skip_or_fail("gpu", GetParam().why_not); }

  void make(std::uint32_t marks) { device_ = GetParam().make(marks); }
  DeviceClock& clock() { return device_->clock(); }
  std::optional<DeviceMark> try_mark() { return clock().mark(device_->queue()); }
  DeviceMark mark() { return try_mark().value(); }

  // What is queued next runs without a gap, however slowly this thread queues it.
  void queue_up() { device_->enqueue(30ms); }

  std::unique_ptr<ClockedDevice> device_;
};

INSTANTIATE_TEST_SUITE_P(All, DeviceClockContract, testing::ValuesIn(device_clock_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(DeviceClockContract, MeasuresTheWorkBetweenTwoMarks) {
  make(4);
  queue_up();
  const DeviceMark begin = mark();
  device_->enqueue(5ms);
  const DeviceMark end = mark();
  device_->finish();
  ASSERT_EQ(clock().query(begin), MarkState::kReached);
  ASSERT_EQ(clock().query(end), MarkState::kReached);
  const auto elapsed = clock().elapsed(begin, end);
  ASSERT_TRUE(elapsed);
  EXPECT_GE(*elapsed, 4ms);
  EXPECT_LE(*elapsed, 6ms);
}

TEST_P(DeviceClockContract, FindsNextToNothingBetweenTwoMarksInARow) {
  make(2);
  queue_up();
  const DeviceMark begin = mark();
  const DeviceMark end = mark();
  device_->finish();
  ASSERT_EQ(clock().query(begin), MarkState::kReached);
  ASSERT_EQ(clock().query(end), MarkState::kReached);
  const auto elapsed = clock().elapsed(begin, end);
  ASSERT_TRUE(elapsed);
  EXPECT_GE(*elapsed, 0ms);
  EXPECT_LT(*elapsed, 1ms);
}

TEST_P(DeviceClockContract, HoldsAMarkPendingWhileTheWorkBeforeItGoesOn) {
  if (!GetParam().queues) GTEST_SKIP() << "its work is done at once";
  make(2);
  const DeviceMark begin = mark();
  device_->enqueue(300ms);
  const DeviceMark end = mark();
  EXPECT_EQ(clock().query(end), MarkState::kPending);
  EXPECT_EQ(clock().elapsed(begin, end), std::nullopt) << "not reached";
  device_->finish();
  EXPECT_EQ(clock().query(end), MarkState::kReached);
  EXPECT_EQ(clock().counters().errored, 0) << "pending is no error";
}

TEST_P(DeviceClockContract, KnowsNoTimeOfAMarkThatNobodyHasSeenReached) {
  make(2);
  const DeviceMark begin = mark();
  const DeviceMark end = mark();
  device_->finish();
  EXPECT_EQ(clock().query(begin), MarkState::kReached);
  EXPECT_EQ(clock().elapsed(begin, end), std::nullopt);
  EXPECT_EQ(clock().elapsed(end, begin), std::nullopt);
}

TEST_P(DeviceClockContract, RefusesMarksWhileThePoolIsEmptyAndReusesReturnedOnes) {
  make(3);
  const DeviceMark first = mark();
  mark();
  mark();
  EXPECT_EQ(try_mark(), std::nullopt);
  EXPECT_EQ(clock().reserve(), std::nullopt);
  EXPECT_EQ(clock().counters().exhausted, 2);
  EXPECT_EQ(clock().counters().reused, 0);
  EXPECT_EQ(clock().counters().high_water, 3);
  device_->finish();
  ASSERT_EQ(clock().query(first), MarkState::kReached);
  clock().recycle(first);
  EXPECT_EQ(try_mark(), first);
  const DeviceClockCounters counters = clock().counters();
  EXPECT_EQ(counters.created, 3);
  EXPECT_EQ(counters.reused, 1);
  EXPECT_EQ(counters.errored, 0);
}

TEST_P(DeviceClockContract, RetiresAMarkThatComesBackUnresolved) {
  make(2);
  const DeviceMark unresolved = mark();
  clock().recycle(unresolved);
  device_->finish();
  for (int i = 0; i < 3; ++i) {
    const auto next = try_mark();
    ASSERT_TRUE(next);
    EXPECT_NE(*next, unresolved);
    device_->finish();
    ASSERT_EQ(clock().query(*next), MarkState::kReached);
    clock().recycle(*next);
  }
}

TEST_P(DeviceClockContract, ForgetsThatAReturnedMarkWasReached) {
  make(1);
  const DeviceMark first = mark();
  device_->finish();
  ASSERT_EQ(clock().query(first), MarkState::kReached);
  clock().recycle(first);
  const DeviceMark again = mark();
  device_->finish();
  EXPECT_EQ(clock().elapsed(again, again), std::nullopt) << "not queried since";
}

TEST_P(DeviceClockContract, ReservesSlotsWithAnEventOfTheirOwn) {
  make(3);
  std::set<std::uintptr_t> events;
  for (int i = 0; i < 3; ++i) {
    const auto reserved = clock().reserve();
    ASSERT_TRUE(reserved);
    events.insert(clock().event_of(*reserved));
  }
  EXPECT_EQ(events.size(), 3u);
  EXPECT_FALSE(events.contains(0));
  EXPECT_EQ(try_mark(), std::nullopt);
}

TEST_P(DeviceClockContract, LetsAnotherThreadResolveAndReturnMarks) {
  constexpr int kMarks = 5000;
  make(8);
  std::mutex mutex;
  std::deque<DeviceMark> out;
  bool done = false;
  int resolved = 0;
  std::thread sampler([&] {
    while (true) {
      std::optional<DeviceMark> oldest;
      {
        const std::lock_guard lock(mutex);
        if (out.empty() && done) return;
        if (!out.empty()) oldest = out.front();
      }
      if (!oldest || clock().query(*oldest) != MarkState::kReached) {
        std::this_thread::yield();
        continue;
      }
      clock().recycle(*oldest);
      ++resolved;
      const std::lock_guard lock(mutex);
      out.pop_front();
    }
  });
  int marked = 0;
  for (int i = 0; i < kMarks; ++i) {
    const auto mark = try_mark();
    if (!mark) continue;
    ++marked;
    const std::lock_guard lock(mutex);
    out.push_back(*mark);
  }
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  sampler.join();
  EXPECT_EQ(resolved, marked);
  EXPECT_GE(marked, 8);
  const DeviceClockCounters counters = clock().counters();
  EXPECT_EQ(counters.exhausted, kMarks - marked);
  EXPECT_EQ(counters.reused, marked - 8);
  EXPECT_EQ(counters.errored, 0);
}

TEST_P(DeviceClockContract, GoesWithMarksOut) {
  make(4);
  mark();
  device_->enqueue(20ms);
  mark();
  clock().reserve();
  device_.reset();
  make(4);
  const DeviceMark next = mark();
  device_->finish();
  EXPECT_EQ(clock().query(next), MarkState::kReached) << "a new clock works on";
}

}  // namespace
}  // namespace traceml
