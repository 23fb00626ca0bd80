#include <gtest/gtest.h>

#include <numeric>

#include "tests/analysis/trace_script.h"

namespace traceml::testing {
namespace {

Nanos sum_of(const CauseShares& causes) {
  Nanos sum{0};
  for (const CauseShare& cause : causes) sum += cause.total;
  return sum;
}

Nanos part(const TraceReport& report, IdleCause cause) {
  return report.devices.at(0).causes[static_cast<std::size_t>(cause)].total;
}

TEST(TimeRanges, AreMergedAndSubtracted) {
  const auto ranges = merged({{us(5), us(7)}, {us(0), us(2)}, {us(1), us(3)}, {us(4), us(4)}});
  EXPECT_EQ(ranges, (std::vector<TimeRange>{{us(0), us(3)}, {us(5), us(7)}}));
  EXPECT_EQ(length_of(ranges), us(5));
  const auto rest =
      subtracted({{us(0), us(10)}, {us(20), us(30)}}, {{us(2), us(3)}, {us(8), us(25)}});
  EXPECT_EQ(rest, (std::vector<TimeRange>{{us(0), us(2)}, {us(3), us(8)}, {us(25), us(30)}}));
}

// Compute 0-100; communication 50-150 on another stream; a copy 140-180; idle 180-200; compute
// 200-210.
TraceScript overlapping() {
  TraceScript script;
  const Nanos base = script.stream_free() + us(1000);
  script.on_stream("7").without_launch("conv", base, us(100));
  script.without_launch("conv", base + us(200), us(10));
  script.on_stream("20").without_launch("ncclDevKernel_AllReduce", base + us(50), us(100));
  script.on_stream("21").copy("Memcpy HtoD (Pinned -> Device)", us(40), 4000, false);
  return script;
}

TEST(DeviceTime, SplitsTheSpanWithoutCountingAnythingTwice) {
  TimelineEvents events = overlapping().events();
  for (DeviceSpan& work : events.device) {
    if (work.kind == DeviceKind::kCopy) work.start = events.device.front().start + us(140);
  }
  const TraceReport report = explain_timeline(make_timeline(events), {}, "a.json");
  ASSERT_EQ(report.devices.size(), 1U);
  const DeviceTime& time = report.devices[0].time;
  EXPECT_EQ(time.span(), us(210));
  EXPECT_EQ(time.busy, us(190));
  EXPECT_EQ(time.idle, us(20));
  EXPECT_EQ(time.compute, us(110));
  EXPECT_EQ(time.exposed_communication, us(50));
  EXPECT_EQ(time.exposed_copies, us(30));
  EXPECT_EQ(time.compute + time.exposed_communication + time.exposed_copies + time.idle,
            time.span());
  EXPECT_DOUBLE_EQ(time.overlap.value(), 0.5);
}

TEST(DeviceTime, HasNoOverlapWithoutCommunication) {
  TraceScript script;
  script.kernel("conv", us(100));
  EXPECT_FALSE(explained(script).devices.at(0).time.overlap.has_value());
}

TEST(DeviceTime, NeverMergesDevices) {
  TraceScript script;
  script.kernel("conv", us(100)).on_stream("7", "1").kernel("conv", us(300));
  const TraceReport report = explained(script);
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].time.span(), us(100));
  EXPECT_EQ(report.devices[1].time.span(), us(300));
}

TEST(DeviceTime, PutsEachGapIntoTheClassOfItsLength) {
  EXPECT_EQ(idle_class_of(us(9.999)), 0U);
  EXPECT_EQ(idle_class_of(us(10)), 1U);
  EXPECT_EQ(idle_class_of(us(99.999)), 1U);
  EXPECT_EQ(idle_class_of(us(100)), 2U);
  EXPECT_EQ(idle_class_of(us(1000)), 3U);
}

TEST(DeviceTime, ClassesOfIdleAddUpToIt) {
  TraceScript script;
  for (const double pause : {5.0, 50.0, 500.0, 5000.0}) {
    script.kernel("conv", us(100)).wait_until(script.stream_free() + us(pause));
  }
  script.kernel("conv", us(100));
  const DeviceTime time = explained(script).devices.at(0).time;
  Nanos sum{0};
  for (const IdleClass& one : time.idle_classes) sum += one.total;
  EXPECT_EQ(sum, time.idle);
  EXPECT_EQ(time.idle_classes[3].gaps, 1);
}

TEST(IdleCauses, AddUpToIdleWhateverTheGapsAre) {
  TraceScript script;
  for (int step = 3; step < 8; ++step) {
    healthy_step(&script, step, 6);
    script.open(HostKind::kAnnotation, "data_load").wait_until(script.stream_free() + us(3000));
    script.close().kernel("loss", us(30)).synchronise().graph(5, us(20), us(7)).idle(us(900));
    script.without_launch("lost", script.stream_free() + us(40), us(10));
    script.kernel("late", us(10), us(2500));
  }
  const TraceReport report = explained(script, {SelectionKind::kWhole});
  const DeviceReport& device = report.devices.at(0);
  EXPECT_GT(device.time.idle, us(15'000));
  EXPECT_EQ(sum_of(device.causes), device.time.idle);
}

TEST(IdleCauses, KnowTheWorkThatIsNotSelected) {
  TraceScript script;
  script.open(HostKind::kAnnotation, "ProfilerStep#1").kernel("inside", us(10)).close();
  script.wait_until(script.stream_free() + us(50)).kernel("outside", us(500));
  script.wait_until(script.stream_free() + us(2000));
  script.open(HostKind::kAnnotation, "data_load").idle(us(1)).close().idle(us(70));
  TimelineEvents events = script.events();
  // A kernel of the step that runs late, on a stream of its own.
  DeviceSpan late = events.device[0];
  late.start = script.now();
  events.device.push_back(late);
  const TraceReport report = explain_timeline(make_timeline(events), {}, "a.json");
  const DeviceReport& device = report.devices.at(0);
  EXPECT_EQ(report.selected_work, 2);
  EXPECT_EQ(part(report, IdleCause::kNotSelected), us(500));
  EXPECT_EQ(device.causes[static_cast<std::size_t>(IdleCause::kNotSelected)].gaps, 1);
  EXPECT_EQ(sum_of(device.causes), device.time.idle);
  EXPECT_EQ(device.long_gaps, 1);  // of 2,071 us behind the kernel that is not selected
  EXPECT_EQ(device.long_total, us(2071));
}

TEST(IdleCauses, OfALateBatchAreTheLoader) {
  TraceScript script;
  script.kernel("conv", us(100));
  script.open(HostKind::kAnnotation,
              "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  script.wait_until(script.stream_free() + us(5000)).close();
  script.kernel("conv", us(100));
  const TraceReport report = explained(script);
  EXPECT_EQ(part(report, IdleCause::kInput), us(5000));
  EXPECT_EQ(report.devices[0].time.idle, us(5010));  // and the launch
  ASSERT_EQ(report.devices[0].gaps.size(), 1U);
  const LongGap& gap = report.devices[0].gaps[0];
  EXPECT_EQ(gap.cause, IdleCause::kInput);
  EXPECT_EQ(gap.launch, "cudaLaunchKernel");
  EXPECT_EQ(gap.launched, us(5000));
}

TEST(IdleCauses, GiveTheWorkAfterAWaitToTheWait) {
  TraceScript script;
  script.kernel("conv", us(100)).synchronise();
  script.open(HostKind::kOperator, "aten::add").idle(us(60)).close();
  script.kernel("conv", us(100));
  const TraceReport report = explained(script);
  EXPECT_EQ(part(report, IdleCause::kSynchronising), us(68));  // 8 in the call, 60 after it
}

TEST(IdleCauses, AreOfTheMainThreadWhereTheLaunchingOneSleeps) {
  TraceScript script;
  script.span(HostKind::kAnnotation, "ProfilerStep#1", us(1)).kernel("conv", us(100));
  script.open(HostKind::kAnnotation, "data_load")
      .wait_until(script.stream_free() + us(4000))
      .close();
  script.on_thread("autograd").wait_until(script.stream_free() + us(4000)).kernel("back", us(10));
  const TraceReport report = explained(script, {SelectionKind::kWhole});
  EXPECT_EQ(part(report, IdleCause::kInput), us(4000));
}

TEST(IdleCauses, OfWorkThatWasLaunchedInTimeAreUnexplained) {
  TraceScript script;
  script.kernel("conv", us(100));
  TimelineEvents events = script.kernel("conv", us(100)).events();
  events.device[1].start += us(700);
  const TraceReport report = explain_timeline(make_timeline(events), {}, "a.json");
  EXPECT_EQ(part(report, IdleCause::kUnexplained), us(700));
}

TEST(IdleCauses, CutGraphsIntoGapsInAndBeforeThem) {
  TraceScript script;
  script.graph(4, us(50), us(5)).wait_until(script.stream_free() + us(100)).graph(4, us(50), us(5));
  const TraceReport report = explained(script);
  EXPECT_EQ(part(report, IdleCause::kInGraph), us(30));
  EXPECT_EQ(part(report, IdleCause::kBeforeGraph), us(24));  // the call, and to the first node
  EXPECT_EQ(part(report, IdleCause::kHostWork), us(100));
}

TEST(Selection, OfStepsIsByLaunchAndTellsHowFarTheDeviceRanPastThem) {
  TraceScript script;
  script.kernel("before", us(10)).idle(us(100));
  script.open(HostKind::kAnnotation, "ProfilerStep#4").kernel("inside", us(5000)).close();
  script.kernel("after", us(10));
  const Timeline timeline = make_timeline(script.events());
  const Selection steps = select_work(timeline, SelectionKind::kSteps);
  ASSERT_EQ(steps.work.size(), 1U);
  EXPECT_EQ(timeline.name_of(timeline.events.device[steps.work[0]]), "inside");
  EXPECT_EQ(steps.lag, us(5004));
  EXPECT_EQ(select_work(timeline, SelectionKind::kHta).kind, SelectionKind::kWhole);
}

TEST(Selection, OfHtaLeavesTheLastStepOut) {
  TraceScript script;
  for (const char* name : {"ProfilerStep#4", "ProfilerStep#5"}) {
    script.open(HostKind::kAnnotation, name).kernel(name, us(10)).close().idle(us(10));
  }
  const Timeline timeline = make_timeline(script.events());
  EXPECT_EQ(select_work(timeline, SelectionKind::kHta).work.size(), 1U);
  EXPECT_EQ(select_work(timeline, SelectionKind::kSteps).work.size(), 2U);
  EXPECT_EQ(select_work(timeline, SelectionKind::kWhole).steps.size(), 2U);
}

TEST(Calls, ThatWaitAreListedByTheirPlace) {
  TraceScript script;
  script.open(HostKind::kAnnotation, "forward").open(HostKind::kOperator, "aten::item");
  script.kernel("conv", us(3000)).synchronise().close().close();
  script.copy("Memcpy DtoH (Device -> Pageable)", us(50), 4, true);
  const TraceReport report = explained(script);
  ASSERT_EQ(report.waiting.size(), 2U);
  EXPECT_EQ(report.waiting[0].call, "cudaStreamSynchronize");
  EXPECT_EQ(report.waiting[0].phase, "forward");
  EXPECT_EQ(report.waiting[0].operation, "aten::item");
  EXPECT_EQ(report.waiting[1].call, "cudaMemcpyAsync");
  ASSERT_EQ(report.blocked.count, 1);
  EXPECT_EQ(report.blocked.places.at(0).name, "cudaStreamSynchronize");
}

TEST(LaunchLag, TellsWhoWaitsForWhom) {
  TraceScript prompt, ahead, full;
  for (int i = 0; i < 100; ++i) {
    prompt.kernel("small", us(3)).idle(us(20));
    ahead.kernel("conv", us(100)).idle(us(20));
    full.kernel("conv", us(100), i % 20 == 19 ? us(500) : us(6));
  }
  EXPECT_EQ(explained(prompt).lag_of_launches->state, LaunchState::kLaunchBound);
  EXPECT_EQ(explained(ahead).lag_of_launches->state, LaunchState::kBalanced);
  EXPECT_EQ(explained(full).lag_of_launches->state, LaunchState::kQueueFull);
  EXPECT_EQ(explained(prompt).lag_of_launches->from_end_p50, us(4));
  EXPECT_EQ(explained(prompt).lag_of_launches->from_begin_p50, us(10));
}

TEST(Work, IsCountedByKernelAndByKindOfCopy) {
  TraceScript script;
  for (int i = 0; i < 3; ++i) script.kernel("conv", us(100)).kernel("add", us(10));
  script.copy("Memcpy HtoD (Pinned -> Device)", us(100), 2'000'000, false);
  const TraceReport report = explained(script);
  ASSERT_EQ(report.kernels.size(), 2U);
  EXPECT_EQ(report.kernels[0].name, "conv");
  EXPECT_EQ(report.kernels[0].count, 3);
  EXPECT_EQ(report.kernels[0].total, us(300));
  ASSERT_EQ(report.copies.size(), 1U);
  EXPECT_DOUBLE_EQ(report.copies[0].gb_per_s().value(), 20);
}

TEST(Phases, HoldTheWorkLaunchedFromWithinThem) {
  TraceScript script;
  script.open(HostKind::kAnnotation, "ProfilerStep#1").open(HostKind::kAnnotation, "forward");
  script.kernel("conv", us(500)).kernel("conv", us(500)).close();
  script.open(HostKind::kAnnotation, "backward").idle(us(10));
  script.on_thread("autograd").idle(us(5)).kernel("back", us(70));
  script.on_thread("main").idle(us(50)).close().close();
  const TraceReport report = explained(script);
  ASSERT_EQ(report.phases.size(), 2U);
  EXPECT_EQ(report.phases[0].name, "backward");
  EXPECT_EQ(report.phases[0].device_work, us(70));  // of a thread without ranges: the main one's
  EXPECT_EQ(report.phases[1].name, "forward");
  EXPECT_EQ(report.phases[1].device_work, us(1000));
  EXPECT_EQ(report.phases[1].device_span, us(1000));
  ASSERT_EQ(report.steps.size(), 1U);
  EXPECT_EQ(report.steps[0].kernels, us(1070));
}

TEST(Threads, HaveSpansInsideThoseThatHoldMostOfThem) {
  TraceScript script;
  script.open(HostKind::kPython, "step()").idle(us(230)).close();
  script.span(HostKind::kAnnotation, "ProfilerStep#1", us(2000));
  script.idle(us(1)).open(HostKind::kOperator, "outer").idle(us(100));
  script.span(HostKind::kOperator, "inner", us(50)).close();
  TimelineEvents events = script.events();
  events.host[1].start -= us(10);     // the step begins in the frame that began it
  events.host[3].duration += us(20);  // ends later than the one around it
  const Timeline timeline = make_timeline(events);
  EXPECT_FALSE(timeline.parent[1].has_value());
  ASSERT_EQ(timeline.name_of(timeline.events.host[3]), "inner");
  EXPECT_EQ(timeline.parent[3], 2U);
}

TEST(Threads, AreCutIntoStretchesOfTheirInnermostSpan) {
  TraceScript script;
  const Nanos begin = script.now();
  script.idle(us(10)).open(HostKind::kAnnotation, "outer").idle(us(10));
  script.span(HostKind::kOperator, "inner", us(20)).idle(us(10)).close().idle(us(10));
  const Timeline timeline = make_timeline(script.events());
  const auto stretches = stretches_of(timeline, 0, {begin, begin + us(60)});
  ASSERT_EQ(stretches.size(), 5U);
  EXPECT_FALSE(stretches[0].innermost);
  EXPECT_EQ(timeline.name_of(timeline.events.host[*stretches[2].innermost]), "inner");
  EXPECT_EQ(stretches[2].when, (TimeRange{begin + us(20), begin + us(40)}));
  EXPECT_EQ(stretches[3].when, (TimeRange{begin + us(40), begin + us(50)}));
  EXPECT_EQ(stretches_of(timeline, 0, {begin + us(25), begin + us(30)}).size(), 1U);
}

TEST(IdleCauses, AreNotInsideAGraphWhereACorrelationComesRoundAgain) {
  TraceScript script;
  script.graph(2, us(10), us(3)).idle(us(1000)).graph(2, us(10), us(3));
  TimelineEvents events = script.events();
  const auto id = events.host.front().correlation;
  for (HostSpan& call : events.host) call.correlation = id;
  for (DeviceSpan& work : events.device) work.correlation = id;
  const TraceReport report = explain_timeline(make_timeline(std::move(events)), {}, "a.json");
  const auto& causes = report.devices.at(0).causes;
  EXPECT_EQ(causes[static_cast<std::size_t>(IdleCause::kInGraph)].total, 2 * us(3));
  EXPECT_EQ(causes[static_cast<std::size_t>(IdleCause::kInGraph)].gaps, 2);
}

TEST(LaunchLag, HasMediansByNearestRank) {
  TraceScript script;
  for (const double late : {1, 2}) {
    script.kernel("conv", us(1), us(6));
    script.hold_stream(script.now() + us(4) + us(10 + 100 * late)).kernel("conv", us(1), us(6));
    script.idle(us(5000));
  }
  const LaunchLag lag = explained(script).lag_of_launches.value();
  // From the end of the call, sorted: 4, 4, 108 and 208 us.
  EXPECT_EQ(lag.kernels, 4);
  EXPECT_EQ(lag.from_end_p50, us(4));
  EXPECT_EQ(lag.from_end_p95, us(208));
}

TEST(Timeline, FindsTheLastCallBeforeTheWorkWhereAllHaveOneId) {
  TraceScript script;
  for (int i = 0; i < 100'000; ++i) script.kernel("conv", us(1)).idle(us(30));
  TimelineEvents events = script.events();
  for (HostSpan& call : events.host) call.correlation = 0;
  for (DeviceSpan& work : events.device) work.correlation = 0;
  const Timeline timeline = make_timeline(std::move(events));
  for (WorkIndex i = 0; i < timeline.events.device.size(); ++i) {
    ASSERT_EQ(timeline.launch[i], HostIndex{i});
  }
}

}  // namespace
}  // namespace traceml::testing
