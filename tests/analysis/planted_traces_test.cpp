// Jobs with one planted cause, of which that cause must be named and no other; healthy jobs, of
// which none may be; and near-misses: the same thing, too small or without effect on the device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/analysis/trace_script.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Edit = std::function<void(TraceScript*, int)>;

constexpr int kSteps = 20;

// A step of a healthy job into which `inside` puts something after half of the kernels.
void step_with(TraceScript* script, int number, const Edit& inside, Nanos load = us(100)) {
  script->on_thread("main").on_stream("7");
  script->open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(number));
  script->span(HostKind::kAnnotation, "data_load", load);
  script->open(HostKind::kAnnotation, "h2d_copy");
  script->copy("Memcpy HtoD (Pinned -> Device)", us(60), 1'200'000, false).close();
  script->open(HostKind::kAnnotation, "forward");
  for (int i = 0; i < 30; ++i) {
    script->open(HostKind::kOperator, "aten::conv2d").idle(us(5));
    script->kernel("conv_kernel", us(200)).idle(us(4)).close();
    if (i == 15) inside(script, number);
  }
  script->close().close();
  script->wait_until(script->stream_free() - us(9'000));  // the host may run ahead by so much
}

void nothing(TraceScript* /*script*/, int /*step*/) {}

TraceScript job(const Edit& inside) {
  TraceScript script;
  for (int step = 0; step < kSteps; ++step) step_with(&script, step, inside);
  return script;
}

std::vector<std::string> found_in(const TraceScript& script) {
  return causes_of(explained(script));
}

// The host goes on `later` after the device has done all.
void drain(TraceScript* script, Nanos later) {
  script->wait_until(script->stream_free() + later);
}

// --- planted ---

TraceScript late_batches(Nanos late, int every) {
  TraceScript script;
  for (int step = 0; step < kSteps; ++step) {
    const Nanos behind = script.stream_free() - script.now();
    const bool is_late = step % every == every - 1;
    step_with(&script, step, nothing, is_late ? behind + late : us(100));
  }
  return script;
}

TEST(Planted, ALateBatchIsNamed) {
  EXPECT_THAT(found_in(late_batches(us(20'000), 8)), ElementsAre("late_batch"));
}

TraceScript synchronising(Nanos python) {
  return job([python](TraceScript* script, int /*step*/) {
    script->open(HostKind::kOperator, "aten::item");
    script->copy("Memcpy DtoH (Device -> Pinned)", us(2), 4, false).synchronise().close();
    script->idle(python);  // until the queue has something again
  });
}

TEST(Planted, ASyncInTheLoopIsNamed) {
  const TraceReport report = explained(synchronising(us(150)));
  ASSERT_THAT(causes_of(report), ElementsAre("sync_in_loop"));
  EXPECT_THAT(report.findings[0].observation,
              HasSubstr("cudaStreamSynchronize of aten::item in forward, 20 times"));
}

TraceScript blocking(Nanos copy, Nanos python) {
  return job([=](TraceScript* script, int /*step*/) {
    script->copy("Memcpy DtoH (Device -> Pinned)", copy, 4'000'000, true).idle(python);
  });
}

TEST(Planted, ABlockingCopyIsNamed) {
  EXPECT_THAT(found_in(blocking(us(200), us(120))), ElementsAre("blocking_copy"));
}

TraceScript pageable(Nanos time, std::int64_t bytes) {
  return job([=](TraceScript* script, int /*step*/) {
    script->copy("Memcpy HtoD (Pageable -> Device)", time, bytes, false);
  });
}

TEST(Planted, PageableInputIsNamed) {
  EXPECT_THAT(found_in(pageable(us(900), 9'000'000)), ElementsAre("pageable_input"));
}

TEST(Planted, PageableInputIsNamedOfTheDeviceThatHasTheCopiesAlone) {
  const TraceScript script = job([](TraceScript* inside, int /*step*/) {
    inside->copy("Memcpy HtoD (Pageable -> Device)", us(900), 9'000'000, false);
    inside->on_stream("7", "1").kernel("conv_kernel", us(20)).on_stream("7");
  });
  const TraceReport report = explained(script);
  ASSERT_EQ(report.devices.size(), 2U);
  std::vector<std::string> seen;
  for (const TraceFinding& finding : report.findings) {
    if (finding.cause == "pageable_input") seen.push_back(finding.observation);
  }
  EXPECT_THAT(seen, ElementsAre(HasSubstr("to device 0 took 18.000 ms")));
}

TEST(Planted, PageableInputIsNamedByItsTimeWhereCopiesDoNotTellTheirBytes) {
  TimelineEvents events = pageable(us(900), 1'000).events();
  for (DeviceSpan& work : events.device) {
    if (events.names[work.name].find("Pageable") != std::string::npos) work.bytes.reset();
  }
  EXPECT_THAT(causes_of(explain_timeline(make_timeline(std::move(events)), {}, "a.json")),
              ElementsAre("pageable_input"));
}

TraceScript many_kernels(Nanos kernel) {
  TraceScript script;
  for (int step = 0; step < kSteps; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    for (int i = 0; i < 300; ++i) {
      script.open(HostKind::kOperator, "aten::add").idle(us(5)).kernel("add", kernel);
      script.idle(us(4)).close();
    }
    script.close();
  }
  return script;
}

TEST(Planted, SmallKernelsAreNamed) {
  EXPECT_THAT(found_in(many_kernels(us(4))), ElementsAre("small_kernels"));
}

TEST(Planted, WhatTheProcessDidIsSaidOnceWhateverItsDevices) {
  TraceScript script;
  for (int step = 0; step < kSteps; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    for (int i = 0; i < 300; ++i) {
      script.open(HostKind::kOperator, "aten::add").idle(us(5));
      script.on_stream("7", "1").kernel("add", us(2)).on_stream("7").kernel("add", us(3));
      script.idle(us(4)).close();
    }
    script.close();
  }
  const TraceReport report = explained(script);
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_THAT(causes_of(report), ElementsAre("small_kernels"));
  EXPECT_THAT(report.findings[0].observation, HasSubstr("device 1")) << "it cost more there";
}

// A call that goes on until the device has been idle for `beyond`.
TraceScript calling(const std::string& call, Nanos beyond) {
  return job([=](TraceScript* script, int step) {
    if (step % 4 != 3) return;
    script->open(HostKind::kCall, call);
    drain(script, beyond);
    script->close();
  });
}

TEST(Planted, ALongHostCallIsNamed) {
  const TraceReport report = explained(calling("cuModuleLoadData", us(4000)));
  ASSERT_THAT(causes_of(report), ElementsAre("long_host_call"));
  EXPECT_THAT(report.findings[0].observation, HasSubstr("the longest in cuModuleLoadData"));
}

TEST(Planted, AnAllocatorThatGoesToTheDriverIsNamed) {
  const TraceReport report = explained(calling("cudaFree", us(4000)));
  ASSERT_THAT(causes_of(report), ElementsAre("allocator_in_loop"));
  EXPECT_THAT(report.findings[0].observation, HasSubstr("in 5 gaps: allocating or freeing memory"));
}

// `kept` bytes of each step are never given back; each step takes and frees a gigabyte.
TraceScript remembering(std::int64_t kept, int steps = kSteps) {
  TraceScript script;
  std::int64_t held = 4'000'000'000;
  for (int step = 0; step < steps; ++step) {
    step_with(&script, step, [&](TraceScript* inside, int) {
      inside->memory("0", held + 1'000'000'000, 6'000'000'000);
      held += kept;
      inside->memory("0", held, 6'000'000'000);
    });
  }
  return script;
}

TEST(Planted, MemoryThatGrowsIsNamed) {
  const TraceReport report = explained(remembering(30'000'000));
  ASSERT_THAT(causes_of(report), ElementsAre("memory_growth"));
  EXPECT_THAT(report.findings[0].observation,
              HasSubstr("at the end of 19 of 19 steps than of the one before: 30.00 MB a step"));
}

TEST(Planted, ALaunchThatBlocksIsALongHostCallToo) {
  const auto inside = [](TraceScript* script, int step) {
    if (step % 4 != 3) return;
    script->kernel("first_of_its_module", us(10), script->stream_free() - script->now() + us(4000));
  };
  EXPECT_THAT(found_in(job(inside)), ElementsAre("long_host_call"));
}

TraceScript freezing(Nanos beyond) {
  return job([beyond](TraceScript* script, int step) {
    if (step % 4 == 1) drain(script, beyond);
  });
}

TEST(Planted, AThreadThatFallsSilentIsNamed) {
  const TraceReport report = explained(freezing(us(5000)));
  ASSERT_THAT(causes_of(report), ElementsAre("silent_thread"));
  EXPECT_THAT(report.findings[0].observation, HasSubstr("the longest inside forward"));
}

TraceScript graphs(Nanos between) {
  TraceScript script;
  for (int step = 0; step < kSteps; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    script.span(HostKind::kAnnotation, "data_load", us(50)).graph(200, us(20), between).close();
    script.wait_until(script.stream_free() - us(300));
  }
  return script;
}

TEST(Planted, GapsOfGraphsAreNamed) {
  EXPECT_THAT(found_in(graphs(us(3))), ElementsAre("graph_gaps"));
}

// An exchange of `time`, of which the computation that follows waits for `exposed`.
TraceScript exchanging(Nanos time, Nanos exposed) {
  return job([=](TraceScript* script, int step) {
    const Nanos start = script->stream_free() - (time - exposed);
    script->on_stream("20").collective(step, start, start + time).on_stream("7");
    script->hold_stream(start + time);
  });
}

TEST(Planted, ExposedCommunicationIsNamed) {
  EXPECT_THAT(found_in(exchanging(us(1500), us(1500))), ElementsAre("exposed_communication"));
}

// --- near-misses ---

TEST(NearMiss, ABatchLateByLessThanTheDevicesLeadIsNone) {
  EXPECT_THAT(found_in(late_batches(us(-2000), 8)), IsEmpty());
}

TEST(NearMiss, ABatchLateForAMomentIsNone) {
  EXPECT_THAT(found_in(late_batches(us(500), 8)), IsEmpty());
}

TEST(NearMiss, ALoaderWhoseRangeOverlapsTheNextByARoundingIsNone) {
  TraceScript script;
  for (int step = 0; step < kSteps; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    script.span(HostKind::kAnnotation, "data_load", us(5)).open(HostKind::kAnnotation, "forward");
    for (int i = 0; i < 30; ++i) script.idle(us(40)).kernel("conv_kernel", us(30));
    script.close().close();
  }
  TimelineEvents events = script.events();
  for (HostSpan& span : events.host) {
    if (events.names[span.name] == "data_load") span.duration += us(1);
  }
  const TraceReport report = explain_timeline(make_timeline(events), {}, "a.json");
  EXPECT_GT(report.devices.at(0).time.idle, us(5000));
  EXPECT_THAT(causes_of(report), ::testing::Not(::testing::Contains("late_batch")));
}

TEST(NearMiss, ASyncThatCostsTheDeviceNothingIsNone) {
  EXPECT_THAT(found_in(synchronising(us(20))), IsEmpty());
}

TEST(NearMiss, ASyncAfterTheStepsIsNone) {
  TraceScript script = job(nothing);
  script.synchronise("cudaDeviceSynchronize").idle(us(90'000)).kernel("evaluation", us(10));
  EXPECT_THAT(causes_of(explained(script, {SelectionKind::kWhole})),
              ::testing::Not(::testing::Contains("sync_in_loop")));
  EXPECT_THAT(found_in(script), IsEmpty());
}

TEST(NearMiss, AShortBlockingCopyIsNone) {
  EXPECT_THAT(found_in(blocking(us(5), us(20))), IsEmpty());
}

TEST(NearMiss, AFewPageableBytesAreNone) {
  EXPECT_THAT(found_in(pageable(us(10), 4'000)), IsEmpty());
}

TEST(NearMiss, SmallKernelsThatTheDeviceIsBusyWithAreNone) {
  EXPECT_THAT(found_in(many_kernels(us(16))), IsEmpty());
}

TEST(NearMiss, ALongCallWhileTheDeviceHasWorkIsNone) {
  EXPECT_THAT(found_in(calling("cuModuleLoadData", us(-1500))), IsEmpty());
  EXPECT_THAT(found_in(calling("cudaMalloc", us(-1500))), IsEmpty());
}

TEST(NearMiss, MemoryThatGoesUpAndDownIsNone) {
  TraceScript script;
  for (int step = 0; step < kSteps; ++step) {
    const std::int64_t more = step % 2 == 1 ? 500'000'000 : 0;  // a longer sequence now and then
    step_with(&script, step, [&](TraceScript* inside, int) {
      inside->memory("0", 1'000'000'000 + more + step * 20'000'000, 6'000'000'000);
    });
  }
  EXPECT_THAT(found_in(script), IsEmpty());
}

TEST(NearMiss, MemoryThatStaysOrGrowsByLittleIsNone) {
  EXPECT_THAT(found_in(remembering(0)), IsEmpty());
  EXPECT_THAT(found_in(remembering(1'000'000)), IsEmpty());      // 0.4 % of the peak in 19 steps
  EXPECT_THAT(found_in(remembering(90'000'000, 8)), IsEmpty());  // too few steps
}

TEST(NearMiss, AFreezeThatTheQueueOutlastsIsNone) {
  EXPECT_THAT(found_in(freezing(us(-1000))), IsEmpty());
}

TEST(NearMiss, GraphsWithoutGapsAreNone) {
  EXPECT_THAT(found_in(graphs(us(0.3))), IsEmpty());
}

TEST(NearMiss, CommunicationUnderComputeIsNone) {
  EXPECT_THAT(found_in(exchanging(us(1500), us(50))), IsEmpty());
}

// --- healthy ---

struct HealthyJob {
  std::string name;
  Edit inside;
};

class Healthy : public ::testing::TestWithParam<HealthyJob> {};

void PrintTo(const HealthyJob& job, std::ostream* out) {
  *out << job.name;
}

TEST_P(Healthy, JobHasNoCauseNamed) {
  EXPECT_THAT(found_in(job(GetParam().inside)), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Ten, Healthy,
    ::testing::Values(
        HealthyJob{"plain", nothing},
        HealthyJob{"large_kernels", [](TraceScript* s, int) { s->kernel("gemm", us(4000)); }},
        HealthyJob{"one_sync_in_all",
                   [](TraceScript* s, int step) {
                     if (step == 7) s->synchronise().idle(us(200));
                   }},
        HealthyJob{"hidden_communication",
                   [](TraceScript* s, int step) {
                     const Nanos free = s->stream_free();
                     s->on_stream("20").collective(step, free - us(900), free - us(100));
                     s->on_stream("7");
                   }},
        HealthyJob{"event_queries",
                   [](TraceScript* s, int) { s->span(HostKind::kCall, "cudaEventQuery", us(2)); }},
        HealthyJob{"a_long_call_behind_a_full_queue",
                   [](TraceScript* s, int) { s->span(HostKind::kCall, "cudaFree", us(1500)); }},
        HealthyJob{
            "an_operator_on_the_host",
            [](TraceScript* s, int) { s->span(HostKind::kOperator, "aten::sort", us(1800)); }},
        HealthyJob{"two_copies",
                   [](TraceScript* s, int) {
                     s->copy("Memcpy HtoD (Pinned -> Device)", us(60), 1'200'000, false);
                   }},
        HealthyJob{"a_memset", [](TraceScript* s, int) { s->kernel("fill", us(3)); }},
        HealthyJob{"one_late_batch_of_a_millisecond",
                   [](TraceScript* s, int step) {
                     if (step != 11) return;
                     s->open(HostKind::kAnnotation, "data_load");
                     drain(s, us(1000));
                     s->close();
                   }}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace traceml::testing
