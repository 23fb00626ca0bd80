// What the host did, and when: operators, silences, memory, events beside gaps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "harness/analysis/timeline_names.h"
#include "tests/analysis/trace_script.h"

namespace traceml::testing {
namespace {

using ::testing::IsEmpty;

const OperatorTotal& operator_named(const TraceReport& report, const std::string& name) {
  for (const OperatorTotal& one : report.operators) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no operator " + name);
}

TEST(Operators, HaveTimesOfTheirOwnAndWithThoseInside) {
  TraceScript script;
  for (const char* shape : {"8x3", "8x3", "4x3"}) {
    script.open(HostKind::kOperator, "aten::linear").shaped(shape).idle(us(10));
    script.open(HostKind::kOperator, "aten::addmm").idle(us(20)).kernel("gemm", us(100), us(6));
    script.close().idle(us(5)).kernel("bias", us(30), us(4)).close().idle(us(1));
  }
  const TraceReport report = explained(script);
  ASSERT_EQ(report.operators.size(), 2U);
  EXPECT_EQ(report.operators[0].name, "aten::addmm");  // most device time of its own
  const OperatorTotal& outer = operator_named(report, "aten::linear");
  EXPECT_EQ(outer.count, 3);
  EXPECT_EQ(outer.host_total, 3 * us(45));
  EXPECT_EQ(outer.host_self, 3 * us(19));  // 10 + 5 and the launch of `bias`
  EXPECT_EQ(outer.device_total, 3 * us(130));
  EXPECT_EQ(outer.device_self, 3 * us(30));
  ASSERT_EQ(outer.shapes.size(), 2U);
  EXPECT_EQ(outer.shapes[0].shape, "8x3");
  EXPECT_EQ(outer.shapes[0].count, 2);
  EXPECT_EQ(operator_named(report, "aten::addmm").device_total, 3 * us(100));
}

TEST(Operators, InsideOneOfTheSameNameCountOnceInTotals) {
  TraceScript script;
  script.open(HostKind::kOperator, "aten::to").idle(us(10));
  script.open(HostKind::kOperator, "aten::to").kernel("cast", us(50), us(6)).close().close();
  const TraceReport report = explained(script);
  ASSERT_EQ(report.operators.size(), 1U);
  EXPECT_EQ(report.operators[0].count, 2);
  EXPECT_EQ(report.operators[0].host_total, us(16));
  EXPECT_EQ(report.operators[0].host_self, us(16));
  EXPECT_EQ(report.operators[0].device_total, us(50));
}

TEST(Operators, OutsideTheSelectedStepsAreLeftOut) {
  TraceScript script;
  script.span(HostKind::kOperator, "aten::warm_up", us(10))
      .open(HostKind::kAnnotation, "ProfilerStep#1");
  script.open(HostKind::kOperator, "aten::mm").kernel("gemm", us(9)).close().close().idle(us(1));
  script.span(HostKind::kOperator, "aten::later", us(10));
  const TraceReport report = explained(script);
  ASSERT_EQ(report.operators.size(), 1U);
  EXPECT_EQ(report.operators[0].name, "aten::mm");
}

TEST(Kernels, AreAloneWhileNothingElseRunsOnTheirDevice) {
  TraceScript script;
  const Nanos base = script.stream_free() + us(1000);
  script.on_stream("7").without_launch("conv", base, us(100));
  script.on_stream("20").without_launch("nccl", base + us(60), us(100));
  script.on_stream("7", "1").without_launch("other_device", base, us(500));
  const TraceReport report = explained(script);
  ASSERT_EQ(report.kernels.size(), 3U);
  EXPECT_EQ(report.kernels[0].alone, us(500));
  EXPECT_EQ(report.kernels[1].name, "conv");
  EXPECT_EQ(report.kernels[1].alone, us(60));
  EXPECT_EQ(report.kernels[2].alone, us(60));
}

TEST(Silences, AreSplitIntoWhatTheDeviceHidAndWhatItDidNot) {
  TraceScript script;
  script.kernel("conv", us(3000)).open(HostKind::kAnnotation, "tokenise");
  script.wait_until(script.stream_free() + us(2000)).close();
  script.kernel("conv", us(10)).open(HostKind::kAnnotation, "short").idle(us(900)).close();
  script.kernel("conv", us(10));
  const TraceReport report = explained(script);
  ASSERT_EQ(report.silences.size(), 1U);
  const HostSilence& silence = report.silences[0];
  EXPECT_EQ(silence.inside, "tokenise");
  EXPECT_EQ(silence.thread, "main thread");
  EXPECT_EQ(silence.count, 1);
  EXPECT_EQ(silence.exposed, us(2000));
  EXPECT_EQ(silence.total, silence.hidden + silence.exposed);
  EXPECT_EQ(silence.hidden, us(3000));  // from the first work's start on
}

TEST(Silences, OfAllStepsAreOnePlace) {
  TraceScript script;
  for (int step = 0; step < 3; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    script.kernel("conv", us(10)).idle(us(2000)).close();
  }
  const TraceReport report = explained(script, {SelectionKind::kWhole});
  ASSERT_EQ(report.silences.size(), 1U);
  EXPECT_EQ(report.silences[0].inside, "ProfilerStep");
  EXPECT_EQ(report.silences[0].count, 2);  // the last one lies behind the device's span
}

TEST(Silences, AreNotInCallsNorOnThreadsWithNothingOpen) {
  TraceScript script;
  script.span(HostKind::kAnnotation, "ProfilerStep#1", us(1))
      .kernel("conv", us(3000))
      .synchronise();
  script.on_thread("autograd").idle(us(5000)).kernel("conv", us(10));
  script.on_thread("main").wait_until(script.stream_free() - us(5)).kernel("conv", us(10));
  const TraceReport report = explained(script, {SelectionKind::kWhole});
  ASSERT_EQ(report.silences.size(), 1U);
  EXPECT_EQ(report.silences[0].inside, "");  // the main thread, after its call
  EXPECT_EQ(report.silences[0].thread, "main thread");
}

TEST(GapEvents, CountKindsThatCameWithLongGapsAndWithoutThem) {
  TraceScript script;
  for (const double pause : {2000.0, 10.0, 3000.0}) {
    script.kernel("conv", us(100)).open(HostKind::kAnnotation, "data_load");
    script.open(HostKind::kAnnotation, "next_batch").wait_until(script.stream_free() + us(pause));
    script.close().close();
  }
  script.kernel("conv", us(500)).synchronise().kernel("conv", us(500));
  script.span(HostKind::kCall, "cudaMalloc", us(30)).kernel("conv", us(10));
  const TraceReport report = explained(script);
  const DeviceReport& device = report.devices.at(0);
  ASSERT_EQ(device.long_gaps, 2);
  ASSERT_EQ(device.gap_events.size(), 3U);
  const GapEvents &loader = device.gap_events[0], &waits = device.gap_events[1];
  EXPECT_EQ(loader.kind, "ranges of the loader");
  EXPECT_EQ(loader.events, 3);  // inner ranges are part of the outer ones
  EXPECT_EQ(loader.hits, 2);
  EXPECT_EQ(loader.misses(), 1);
  EXPECT_EQ(loader.gaps, 2);
  EXPECT_EQ(waits.events, 1);
  EXPECT_EQ(waits.hits, 0);
  EXPECT_EQ(waits.gaps, 0);
  EXPECT_EQ(device.gap_events[2].kind, "memory calls");
}

TEST(GapEvents, OfOneGapAreNotOfTheNext) {
  TraceScript script;
  script.kernel("conv", us(100)).wait_until(script.stream_free() + us(10));
  script.span(HostKind::kCall, "cudaMalloc", us(2000)).kernel("conv", us(100));
  script.wait_until(script.stream_free() + us(3000)).kernel("conv", us(100));
  const DeviceReport device = explained(script).devices.at(0);
  EXPECT_EQ(device.long_gaps, 2);
  ASSERT_EQ(device.gap_events.size(), 1U);
  EXPECT_EQ(device.gap_events[0].hits, 1);
  EXPECT_EQ(device.gap_events[0].gaps, 1);
}

TEST(GapEvents, MayCoverSeveralGapsAndSeveralMayShareOne) {
  TraceScript script;
  const Nanos begin = script.now();
  script.on_thread("other").on_thread("third").on_thread("main");
  script.kernel("conv", us(100)).idle(us(3000)).kernel("conv", us(100)).idle(us(3000));
  script.kernel("conv", us(100));
  const Nanos end = script.stream_free();
  script.on_thread("other")
      .wait_until(begin + us(50))
      .open(HostKind::kCall, "cudaStreamSynchronize");
  script.wait_until(end - us(50)).close();
  script.on_thread("third").wait_until(begin + us(400)).synchronise("cudaEventSynchronize");
  const DeviceReport device = explained(script).devices.at(0);
  ASSERT_EQ(device.gap_events.size(), 1U);
  EXPECT_EQ(device.gap_events[0].events, 2);
  EXPECT_EQ(device.gap_events[0].hits, 2);
  EXPECT_EQ(device.gap_events[0].gaps, 2);
}

TEST(Memory, HasPeaksByPhaseAndAChangePerStep) {
  TraceScript script;
  for (int step = 0; step < 3; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    script.open(HostKind::kAnnotation, "forward").idle(us(5)).memory("0", 700 + 10 * step, 900);
    script.close()
        .open(HostKind::kAnnotation, "backward")
        .idle(us(5))
        .memory("0", 400 + 10 * step, 900);
    script.close().idle(us(5)).kernel("conv", us(9)).close();
  }
  script.memory("host", 64, 0);
  const TraceReport report = explained(script);
  ASSERT_EQ(report.memory.size(), 1U);  // what came after the steps is not theirs
  const MemoryUse& use = report.memory[0];
  EXPECT_EQ(use.memory, "0");
  EXPECT_EQ(use.peak_allocated_bytes, 720);
  EXPECT_EQ(use.peak_reserved_bytes, 900);
  ASSERT_EQ(use.phases.size(), 2U);
  EXPECT_EQ(use.phases[0].allocated_bytes, 720);  // backward begins with what forward left
  EXPECT_EQ(use.phases[1].allocated_bytes, 720);
  EXPECT_EQ(use.step_end_bytes, (std::vector<std::int64_t>{400, 410, 420}));
  EXPECT_EQ(use.bytes_per_step.value(), 10);
  EXPECT_EQ(use.rises, 2);
  EXPECT_FALSE(use.grows());
}

TEST(LaunchLag, IsToldOverTheQuartersOfTheStepAndWithTheCallsTime) {
  TraceScript script;
  script.open(HostKind::kAnnotation, "ProfilerStep#1").kernel("first", us(10)).idle(us(944));
  script.kernel("behind", us(600)).kernel("last", us(10), us(10)).idle(us(34)).close();
  const LaunchLag lag = explained(script).lag_of_launches.value();
  EXPECT_EQ(lag.calls, us(22));
  EXPECT_EQ(lag.quarters[0], us(4));
  EXPECT_FALSE(lag.quarters[1].has_value());
  EXPECT_EQ(lag.quarters[3], us(4));  // nearest rank: the earlier of the two middle ones
}

TEST(StreamWaits, AreClassedAsHolisticTraceAnalysisDoes) {
  TraceScript script;
  script.kernel("conv", us(100)).wait_until(script.stream_free() + us(50)).kernel("conv", us(100));
  script.kernel("conv", us(100)).kernel("conv", us(100));
  TimelineEvents events = script.events();
  events.device[2].start += us(20);
  events.device[3].start += us(20 + 40);
  const TraceReport report = explain_timeline(make_timeline(events), {}, "a.json");
  const StreamWaits waits = report.devices.at(0).time.streams.at(0);
  EXPECT_EQ(waits.host_wait, us(60));
  EXPECT_EQ(waits.kernel_wait, us(20));
  EXPECT_EQ(waits.other, us(40));
  EXPECT_EQ(waits.busy, us(400));
}

TEST(Names, OfCollectiveKernelsAreThoseOfAllReleases) {
  for (const char* name :
       {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_AllGather_RING_LL",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "void rcclGenericKernel<1, false>(args)",
        "ncclAllReduceRingLLKernel_sum_f32(ncclColl)"}) {
    EXPECT_TRUE(is_communication(name)) << name;
  }
  EXPECT_FALSE(is_communication("void at::native::reduce_kernel<512, 1>"));
}

TEST(Names, OfLaunchesAreThoseOfRuntimeDriverGraphsAndHip) {
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel",
                           "cuLaunchKernelEx", "cudaLaunchCooperativeKernel", "cudaGraphLaunch",
                           "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipGraphLaunch"}) {
    EXPECT_TRUE(is_launch(name)) << name;
  }
  EXPECT_FALSE(is_launch("cudaStreamSynchronize"));
  EXPECT_FALSE(is_launch("cudaMemcpyAsync"));
}

TEST(Names, OfMemoryCallsAreNoCopies) {
  for (const char* name : {"cudaMalloc", "cudaMallocAsync", "cudaFree", "cuMemAlloc_v2", "hipFree",
                           "cuMemCreate", "cuMemMap", "cudaHostAlloc", "cudaHostRegister"}) {
    EXPECT_TRUE(is_memory_call(name)) << name;
  }
  for (const char* name : {"cudaMemcpyAsync", "cudaMemsetAsync", "cudaLaunchKernel"}) {
    EXPECT_FALSE(is_memory_call(name)) << name;
  }
}

TEST(Host, StacksDeeperThanAnyProgramsAreCutWithARemark) {
  TraceScript script;
  for (int i = 0; i < 30'000; ++i) script.open(HostKind::kPython, "recurse").idle(us(1));
  script.kernel("conv", us(10));
  for (int i = 0; i < 30'000; ++i) script.close();
  const Timeline timeline = make_timeline(script.events());
  EXPECT_EQ(timeline.events.host.size(), 1000U);
  EXPECT_EQ(timeline.faults.too_deep, 29'001);  // the launch call, too
  EXPECT_THAT(explain_timeline(timeline, {}, "a.json").trust.remarks,
              ::testing::Contains(::testing::HasSubstr("29001 host events inside 1000 others")));
}

TEST(Host, TimesThatTogetherOutlastAnyProgramAreLeftOut) {
  TraceScript script;
  script.kernel("conv", us(10)).synchronise();
  TimelineEvents events = script.events();
  HostSpan wait = events.host.back();
  wait.duration = std::chrono::hours(23);
  const auto thread = static_cast<ThreadIndex>(events.threads.size());
  for (ThreadIndex i = 0; i < 120'000; ++i) {
    events.threads.push_back({"1", "other", ""});
    wait.thread = thread + i;
    events.host.push_back(wait);
  }
  const TraceReport report = explain_timeline(make_timeline(std::move(events)), {}, "a.json");
  EXPECT_EQ(report.host_events, 2);
  EXPECT_THAT(report.trust.remarks,
              ::testing::Contains(::testing::HasSubstr("120000 host events")));
  EXPECT_EQ(report.waiting.at(0).count, 1);
}

TEST(Copies, SayTheirBytesWithoutGoingRound) {
  TraceScript script;
  for (int i = 0; i < 20; ++i) {
    script.copy("Memcpy HtoD (Pinned -> Device)", us(5), std::int64_t{1} << 60, false);
  }
  EXPECT_EQ(explained(script).copies.at(0).bytes, std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace traceml::testing
