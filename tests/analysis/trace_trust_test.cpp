#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/analysis/graph_launches.h"
#include "tests/analysis/trace_script.h"

namespace traceml::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TraceScript steps(int count) {
  TraceScript script;
  for (int step = 0; step < count; ++step) healthy_step(&script, step, 4);
  return script;
}

TimelineTrust trust_of(TimelineEvents events) {
  return judge_trust(make_timeline(std::move(events)));
}

std::int64_t count_of_partial(const TimelineEvents& events) {
  return count_graph_launches(make_timeline(events)).partial;
}

TEST(Trust, OfAWholeTraceLeavesIdleANumber) {
  const TimelineTrust trust = trust_of(steps(20).events());
  EXPECT_EQ(trust.idle, IdleTrust::kNumber);
  EXPECT_TRUE(trust.remarks.empty()) << trust.remarks.front();
  EXPECT_DOUBLE_EQ(trust.launch_coverage(), 1);
}

TEST(Trust, IsRefusedWithoutDeviceWork) {
  TraceScript script;
  script.span(HostKind::kOperator, "aten::add", us(10));
  TimelineEvents events = script.events();
  events.facts.listed_devices = 8;
  events.facts.devices = "8 x NVIDIA H200";
  const TimelineTrust trust = trust_of(events);
  EXPECT_EQ(trust.idle, IdleTrust::kRefused);
  EXPECT_THAT(trust.remarks, Contains(HasSubstr("header lists 8 x NVIDIA H200")));
}

TEST(Trust, KeepsWorkWithoutALaunchAndPrintsItsShare) {
  TraceScript script = steps(20);
  script.without_launch("lost", script.stream_free() + us(10), us(10));
  script.without_launch("lost", script.stream_free() + us(10), us(10));
  const TimelineTrust trust = trust_of(script.events());
  EXPECT_EQ(trust.without_launch, 2);
  EXPECT_TRUE(trust.causes);
  EXPECT_EQ(trust.idle, IdleTrust::kNumber);
  EXPECT_THAT(trust.remarks, Contains(HasSubstr("2 device events of 102 (1.96 %)")));
}

TEST(Trust, GivesNoCausesWhereMostLaunchesAreMissing) {
  TimelineEvents events = steps(20).events();
  for (DeviceSpan& work : events.device) work.correlation.reset();
  EXPECT_FALSE(trust_of(events).causes);
}

TEST(Trust, TakesIdleForAnUpperBoundWhereWorkWasLost) {
  TimelineEvents events = steps(20).events();
  events.device.resize(events.device.size() - 2);
  const TimelineTrust trust = trust_of(events);
  EXPECT_EQ(trust.idle, IdleTrust::kRange);
  EXPECT_TRUE(trust.at_most);
  events.device.resize(events.device.size() / 2);
  EXPECT_EQ(trust_of(events).idle, IdleTrust::kRefused);
}

TEST(Trust, BoundsIdleWhereDecimalsWereLost) {
  TraceScript script = steps(20);
  script.synchronise().kernel("after_a_gap", us(10)).synchronise().kernel("another", us(10));
  TimelineEvents events = script.events();
  events.facts.device_time_step_ns = 1000;
  const Timeline timeline = make_timeline(events);
  const TimelineTrust trust = judge_trust(timeline);
  EXPECT_EQ(trust.idle, IdleTrust::kRange);
  const DeviceTime time =
      device_times(timeline, select_work(timeline, SelectionKind::kWhole)).at(0);
  std::int64_t gaps = 0;
  for (const IdleClass& one : time.idle_classes) gaps += one.gaps;
  ASSERT_GT(gaps, 0);
  EXPECT_EQ(idle_range(trust, time).end, std::min(time.span(), time.idle + gaps * us(2)));
}

TEST(Trust, SeesGraphLaunchesThatLackNodes) {
  TraceScript script;
  for (int i = 0; i < 20; ++i) script.graph(5, us(10), us(1)).wait_until(script.stream_free());
  TimelineEvents events = script.events();
  EXPECT_EQ(count_of_partial(events), 0);
  events.device.erase(events.device.begin() + 2);
  EXPECT_EQ(count_of_partial(events), 1);
  EXPECT_EQ(trust_of(events).idle, IdleTrust::kRange);
}

TEST(Trust, LeavesWrongDurationsOut) {
  TimelineEvents events = steps(20).events();
  events.device[3].duration = Nanos{-5};
  events.device[9].start += std::chrono::hours(28);
  events.device[12].duration = std::chrono::minutes(11);
  events.host[5].duration = std::chrono::hours(25);
  const Timeline timeline = make_timeline(events);
  EXPECT_EQ(timeline.faults.negative, 1);
  EXPECT_EQ(timeline.faults.absurd, 2);
  EXPECT_EQ(timeline.faults.absurd_host, 1);
  EXPECT_EQ(timeline.events.device.size(), events.device.size() - 3);
}

TEST(Trust, TellsWorkOfNoDuration) {
  TimelineEvents events = steps(20).events();
  events.device[3].duration = Nanos{0};
  EXPECT_THAT(trust_of(events).remarks, Contains(HasSubstr("1 device event of no duration")));
  EXPECT_EQ(trust_of(events).device_work, 100);
}

TEST(Trust, TellsWhatWasAskedForAndIsAbsent) {
  TimelineEvents events = steps(20).events();
  events.facts.with_stack = events.facts.profile_memory = events.facts.record_shapes = true;
  std::vector<std::string> remarks = trust_of(events).remarks;
  EXPECT_THAT(remarks, Contains(HasSubstr("no Python frame")));
  EXPECT_THAT(remarks, Contains(HasSubstr("no record of memory")));
  EXPECT_THAT(remarks, Contains(HasSubstr("no operator has shapes")));
  for (HostSpan& span : events.host) span.shape = span.name;
  events.host[0].kind = HostKind::kPython;
  events.memory.push_back({});
  events.memories = {"0"};
  EXPECT_THAT(trust_of(events).remarks, ::testing::IsEmpty());
}

TEST(Trust, TellsThatNoCallAndNoOperatorIsThere) {
  TimelineEvents events = steps(20).events();
  for (HostSpan& span : events.host) span.kind = HostKind::kAnnotation;
  const std::vector<std::string> remarks = trust_of(events).remarks;
  EXPECT_THAT(remarks, Contains(HasSubstr("no call of the CUDA runtime")));
  EXPECT_THAT(remarks, Contains(HasSubstr("no operator is in the file")));
}

TEST(Trust, TellsStepsThatLaunchedNothing) {
  TraceScript script = steps(20);
  for (const char* name : {"ProfilerStep#20", "ProfilerStep#21"}) {
    script.span(HostKind::kAnnotation, name, us(500)).idle(us(1));
  }
  EXPECT_THAT(trust_of(script.events()).remarks, Contains(HasSubstr("2 of 22 steps launched no")));
}

TEST(Trust, SaysThatFewStepsHideTheLoadersQueue) {
  EXPECT_THAT(trust_of(steps(5).events()).remarks, Contains(HasSubstr("only 5 steps")));
}

TEST(Trust, SeesWorkThatOverlapsOnOneStream) {
  TraceScript script = steps(20);
  script.without_launch("twin", script.stream_free() - us(100), us(50));
  EXPECT_THAT(trust_of(script.events()).remarks, Contains(HasSubstr("ahead on their stream")));
}

}  // namespace
}  // namespace traceml::testing
