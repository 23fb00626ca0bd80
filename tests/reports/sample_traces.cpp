#include "tests/reports/sample_traces.h"

#include <utility>

namespace traceml::testing {
namespace {

constexpr const char* kFile = "/home/ann/rank0.json.gz";

}  // namespace

TraceScript busy_job(int steps) {
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

Timeline timeline_of(const TraceScript& script, int rank) {
  TimelineEvents events = script.events();
  events.rank = rank;
  events.world_size = 2;
  events.facts.events = static_cast<std::int64_t>(events.host.size() + events.device.size());
  events.facts.devices = "8 x NVIDIA H200";
  events.facts.listed_devices = 8;
  return make_timeline(std::move(events));
}

TraceReport report_of(const TraceScript& script, const TraceOptions& options) {
  return explain_timeline(timeline_of(script), options, kFile);
}

TraceSample trace_sample(const std::vector<Timeline>& timelines) {
  TraceSample sample;
  std::vector<const Timeline*> all;
  std::vector<int> ranks;
  for (const Timeline& timeline : timelines) {
    sample.reports.push_back(explain_timeline(timeline, {}, kFile));
    all.push_back(&timeline);
    ranks.push_back(*timeline.events.rank);
  }
  sample.lanes.resize(timelines.size());
  const std::vector<std::size_t> in_full = traces_in_full(sample.reports);
  for (const std::size_t i : in_full) {
    sample.lanes[i] = step_lanes(timelines[i], sample.reports[i], lane_limits(in_full.size()));
  }
  if (timelines.size() > 1) sample.ranks = explain_ranks(all, ranks);
  return sample;
}

TraceScript hostile_job() {
  TraceScript script;
  for (int step = 0; step < 3; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    script.open(HostKind::kAnnotation, "<b>range</b>");
    script.open(HostKind::kOperator, "aten::</script><script>alert(2)</script>");
    script.kernel("<script>alert(1)</script>", us(900)).idle(us(4000));
    script.kernel("<img src=x onerror='window.planted = 1'>&\"", us(300)).close().close();
    script.synchronise().close();
  }
  return script;
}

}  // namespace traceml::testing
