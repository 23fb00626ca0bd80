#include "harness/backends/local/simulated_trace.h"

#include <gtest/gtest.h>

#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

TEST(SimulatedTrace, OfAVirtualClockHasThatClocksEpoch) {
  SimulatedTrace trace;
  trace.begin();
  trace.add_work("spin", 1ms, 2ms);
  EXPECT_EQ(trace.end().base, 0ns);
}

TEST(SimulatedTrace, OfARealClockIsTakenToUnixTime) {
  ManualClock clock;
  clock.advance(1h);
  SimulatedTrace trace(&clock);
  const Nanos before = unix_base(clock);
  trace.begin();
  trace.add_work("spin", 1ms, 2ms);
  const TimelineEvents events = trace.end();
  EXPECT_GE(events.base, before);
  EXPECT_LE(events.base, unix_base(clock));
}

}  // namespace
}  // namespace traceml
