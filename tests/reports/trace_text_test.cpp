#include "harness/reports/trace_text.h"

#include <gtest/gtest.h>

#include "harness/reports/rank_trace_text.h"
#include "tests/reports/golden.h"
#include "tests/reports/sample_traces.h"

namespace traceml::testing {
namespace {

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
