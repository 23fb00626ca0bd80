#include "harness/reports/trace_text.h"

#include <gtest/gtest.h>

#include "harness/reports/rank_trace_text.h"
#include "tests/analysis/trace_script.h"
#include "tests/reports/golden.h"

namespace traceml::testing {
namespace {

// A job with something in each table: a late batch, a read of the loss, an exchange, a thread that
// freezes beside another one, pageable labels.
TraceScript busy_job(int steps = 18) {
  TraceScript script;
  for (int step = 0; step < steps; ++step) {
    script.on_thread("main").on_stream("7");
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    script.open(HostKind::kAnnotation,
                "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
    if (step % 8 == 7) {
      script.wait_until(script.stream_free() + us(30'000));
      script.on_thread("4377").wait_until(script.stream_free() + us(1000));
      script.span(HostKind::kCall, "cudaEventQuery", us(2500)).on_thread("main");
    }
    script.idle(us(90)).close();
    script.open(HostKind::kAnnotation, "h2d_copy");
    script.copy("Memcpy HtoD (Pinned -> Device)", us(300), 6'000'000, false);
    script.copy("Memcpy HtoD (Pageable -> Device)", us(4), 1024, false).close();
    script.open(HostKind::kAnnotation, "forward");
    for (int i = 0; i < 20; ++i) {
      script.open(HostKind::kOperator, "aten::cudnn_convolution").idle(us(5));
      script.kernel(
          "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_"
          "tilesize128x32x16_stage1_warpsize4x1x1_g1_tensor16x8x8_execute_kernel__5x_cudnn",
          us(300 + step));
      script.idle(us(4)).close();
    }
    const Nanos start = script.stream_free();
    script.on_stream("20").collective(step, start - us(100), start + us(700)).on_stream("7");
    script.hold_stream(start + us(700));
    script.close().open(HostKind::kAnnotation, "loss").open(HostKind::kOperator, "aten::item");
    script.copy("Memcpy DtoH (Device -> Pinned)", us(2), 4, false).synchronise().close().close();
    script.idle(us(200)).close();
  }
  return script;
}

TraceReport report_of(const TraceScript& script, const TraceOptions& options = {}) {
  TimelineEvents events = script.events();
  events.rank = 0;
  events.world_size = 2;
  events.facts.events = static_cast<std::int64_t>(events.host.size() + events.device.size());
  events.facts.devices = "8 x NVIDIA H200";
  events.facts.listed_devices = 8;
  return explain_timeline(make_timeline(std::move(events)), options, "/home/ann/rank0.json.gz");
}

TEST(TraceText, LooksLikeItsGoldenFileAtEightyAndAtHundredAndTwentyColumns) {
  const TraceReport report = report_of(busy_job());
  expect_golden("trace/busy_80.txt", render_trace(report, {80, false}));
  expect_golden("trace/busy_120.txt", render_trace(report, {120, false}));
}

TEST(TraceText, OfATraceWithoutADeviceSaysSo) {
  TraceScript script;
  script.open(HostKind::kAnnotation, "ProfilerStep#1");
  script.span(HostKind::kOperator, "aten::mm", us(500)).close();
  expect_golden("trace/no_device_80.txt", render_trace(report_of(script), {80, false}));
}

TEST(TraceText, OfADoubtfulTraceGivesARange) {
  TraceScript script = busy_job(4);
  for (int i = 0; i < 3; ++i) {
    script.without_launch("of_another_library", script.stream_free() + us(1300), us(40));
  }
  TimelineEvents events = script.events();
  events.facts.device_time_step_ns = 1000;
  const TraceReport report =
      explain_timeline(make_timeline(std::move(events)), {SelectionKind::kWhole}, "a.json");
  expect_golden("trace/doubtful_80.txt", render_trace(report, {80, false}));
}

TEST(TraceText, FitsItsColumns) {
  const TraceReport report = report_of(busy_job());
  for (const int columns : {80, 100, 120}) {
    const std::string page = render_trace(report, {columns, false});
    std::size_t begin = 0;
    while (begin < page.size()) {
      const std::size_t end = page.find('\n', begin);
      EXPECT_LE(end - begin, static_cast<std::size_t>(columns)) << page.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(TraceText, ShowsNoFolderOfTheMachine) {
  EXPECT_EQ(render_trace(report_of(busy_job()), {80, false}).find("/home"), std::string::npos);
}

TEST(RankText, LooksLikeItsGoldenFile) {
  const Timeline first = make_timeline(busy_job().events());
  TimelineEvents later = busy_job().events();
  later.base = us(250);
  const Timeline second = make_timeline(std::move(later));
  const RankTraces ranks = explain_ranks({&first, &second}, {0, 1});
  expect_golden("trace/brief_80.txt", render_trace_brief(report_of(busy_job()), {80, false}));
  expect_golden("trace/ranks_80.txt", render_ranks(ranks, {80, false}));
  expect_golden("trace/ranks_120.txt", render_ranks(ranks, {120, false}));
}

TEST(AgainstText, LooksLikeItsGoldenFile) {
  TimelineEvents slower = busy_job().events();
  for (DeviceSpan& work : slower.device) {
    if (work.kind == DeviceKind::kKernel) work.duration += us(9);
  }
  const TraceComparison comparison = compare_traces(
      make_timeline(busy_job().events()), make_timeline(std::move(slower)), "/home/ann/old.json");
  expect_golden("trace/against_80.txt", render_against(comparison, 10, {80, false}));
  expect_golden("trace/against_120.txt", render_against(comparison, 10, {120, false}));
}

}  // namespace
}  // namespace traceml::testing
