// A profiler's trace of a stranger: read, explained, printed.

#include <string>

#include "harness/analysis/rank_traces.h"
#include "harness/analysis/trace_against.h"
#include "harness/codec/kineto_trace.h"
#include "harness/codec/trace_json.h"
#include "harness/core/error.h"
#include "harness/reports/rank_trace_text.h"
#include "harness/reports/trace_text.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

// What must hold of any trace.
void check(const traceml::TraceReport& report) {
  using namespace traceml;
  for (const HostSilence& one : report.silences) {
    if (one.hidden + one.exposed != one.total) __builtin_trap();
  }
  for (const KernelTotal& kernel : report.kernels) {
    if (kernel.alone > kernel.total) __builtin_trap();
  }
  for (const DeviceReport& device : report.devices) {
    const DeviceTime& time = device.time;
    Nanos causes{0}, classes{0};
    for (const CauseShare& cause : device.causes) causes += cause.total;
    for (const IdleClass& one : time.idle_classes) classes += one.total;
    const bool adds_up =
        time.compute + time.exposed_communication + time.exposed_copies + time.idle == time.span();
    if (!adds_up || causes != time.idle || classes != time.idle) __builtin_trap();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace traceml;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Timeline timeline = make_timeline(read_kineto_bytes(bytes, "a.json"));
    const TraceReport report = explain_timeline(timeline, {}, "a.json");
    check(report);
    check(explain_timeline(timeline, {SelectionKind::kWhole}, "a.json"));
    const RankTraces ranks = explain_ranks({&timeline, &timeline}, {0, 1});
    const TraceComparison against = compare_traces(timeline, timeline, "b.json");
    render_trace(report, {80, false});
    render_ranks(ranks, {80, false});
    render_against(against, 10, {80, false});
    trace_json({report}, ranks, against);
  } catch (const Error&) {
  }
  return 0;
}
