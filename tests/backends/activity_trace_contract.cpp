#include "tests/backends/activity_trace_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/required_hardware.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class ActivityTraceContract : public testing::TestWithParam<ActivityTraceCase> {
 protected:
  void SetUp() override {
    skip_or_fail("gpu", GetParam().why_not);
    if (!testing::Test::IsSkipped()) device_ = GetParam().make();
  }

  ActivityTrace& trace() { return device_->trace(); }
  void work(int kernels) {
    for (int i = 0; i < kernels; ++i) device_->launch(200us);
    device_->finish();
  }

  static std::int64_t kernels_in(const TimelineEvents& events) {
    return std::count_if(events.device.begin(), events.device.end(),
                         [](const auto& span) { return span.kind == DeviceKind::kKernel; });
  }

  // The call that caused the work.
  static const HostSpan* call_of(const TimelineEvents& events, const DeviceSpan& work) {
    const auto found =
        std::find_if(events.host.begin(), events.host.end(), [&](const HostSpan& span) {
          return span.kind == HostKind::kCall && span.correlation == work.correlation;
        });
    return found == events.host.end() ? nullptr : &*found;
  }

  std::unique_ptr<TracedDevice> device_;
};

INSTANTIATE_TEST_SUITE_P(All, ActivityTraceContract, testing::ValuesIn(activity_trace_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(ActivityTraceContract, KeepsTheWorkSinceBeginAndNoneOfTheWarmUp) {
  trace().warm_up();
  work(5);
  trace().begin();
  work(3);
  EXPECT_EQ(kernels_in(trace().end()), 3);
}

TEST_P(ActivityTraceContract, BeginsWithoutAWarmUp) {
  trace().begin();
  work(2);
  EXPECT_EQ(kernels_in(trace().end()), 2);
}

TEST_P(ActivityTraceContract, IsOffAfterEnd) {
  trace().begin();
  work(1);
  trace().end();
  work(4);
  EXPECT_EQ(trace().stop(), 0);
}

// The second one would run after begin() if nobody waited.
TEST_P(ActivityTraceContract, BeginWaitsForOtherStreamsWhoseWorkIsNotKept) {
  trace().warm_up();
  device_->launch_beside(5ms);
  device_->launch_beside(5ms);
  trace().begin();
  work(1);
  EXPECT_EQ(kernels_in(trace().end()), 1);
}

TEST_P(ActivityTraceContract, EndWaitsForOtherStreamsWhoseWorkIsKept) {
  trace().begin();
  work(1);
  device_->launch_beside(5ms);
  EXPECT_EQ(kernels_in(trace().end()), 2);
}

TEST_P(ActivityTraceContract, EachKernelHasTheCallThatLaunchedItOnTheCallingThread) {
  trace().begin();
  work(3);
  const TimelineEvents events = trace().end();
  ASSERT_EQ(kernels_in(events), 3);
  for (const DeviceSpan& kernel : events.device) {
    const HostSpan* call = call_of(events, kernel);
    ASSERT_NE(call, nullptr) << events.names[kernel.name];
    EXPECT_LE(call->start, kernel.start);
    EXPECT_EQ(call->thread, 0u);
  }
}

TEST_P(ActivityTraceContract, TimesAreTheHostClocks) {
  const Nanos before = device_->now();
  trace().begin();
  work(3);
  const TimelineEvents events = trace().end();
  const Nanos after = device_->now();
  ASSERT_EQ(kernels_in(events), 3);
  for (const DeviceSpan& kernel : events.device) {
    EXPECT_GE(kernel.start, before);
    EXPECT_LE(kernel.end(), after);
    EXPECT_GE(kernel.duration, 100us);
  }
}

TEST_P(ActivityTraceContract, StreamsAndDevicesOfTheWorkHaveNames) {
  trace().begin();
  work(1);
  const TimelineEvents events = trace().end();
  ASSERT_EQ(events.device.size(), 1u);
  ASSERT_LT(events.device.front().stream, events.streams.size());
  const DeviceStream& stream = events.streams[events.device.front().stream];
  EXPECT_FALSE(stream.stream.empty());
  EXPECT_EQ(events.devices[stream.device], "0");
  EXPECT_FALSE(events.names[events.device.front().name].empty());
}

TEST_P(ActivityTraceContract, SaysWhatItAskedForAndWhatItSaw) {
  trace().begin();
  work(1);
  const TimelineEvents events = trace().end();
  ASSERT_TRUE(events.facts.own.has_value());
  const OwnTraceFacts& own = *events.facts.own;
  EXPECT_EQ(own.collector, trace().name());
  EXPECT_THAT(own.asked, HasSubstr("kernel"));
  EXPECT_THAT(own.seen, HasSubstr("kernel"));
  EXPECT_EQ(own.dropped_records, 0);
  EXPECT_EQ(own.before_launch, 0);
}

TEST_P(ActivityTraceContract, StopThrowsAwayWhatWasRecordedAndTellsItsBytes) {
  trace().begin();
  work(2);
  EXPECT_GT(trace().stop(), 0);
  trace().begin();
  EXPECT_EQ(kernels_in(trace().end()), 0);
}

TEST_P(ActivityTraceContract, StopOfATraceThatIsOffDoesNothing) {
  EXPECT_EQ(trace().stop(), 0);
  work(1);
  EXPECT_EQ(trace().stop(), 0);
}

}  // namespace
}  // namespace traceml
