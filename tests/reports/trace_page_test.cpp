#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/reports/html/html.h"
#include "harness/reports/html/page_data.h"
#include "harness/reports/html/sha256.h"
#include "tests/reports/golden.h"
#include "tests/reports/sample_traces.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::ordered_json data_of(const TraceSample& sample) {
  return nlohmann::ordered_json::parse(trace_page_data(sample.input()));
}

TEST(TracePage, HasTheDataOfItsGoldenFile) {
  TraceScript script;
  healthy_step(&script, 1, 3);
  script.idle(us(2500));
  healthy_step(&script, 2, 3);
  expect_golden("trace/page.json", data_of(trace_sample({timeline_of(script)})).dump(1) + "\n");
}

TEST(TracePage, HasTheFiguresOfTheReport) {
  const TraceSample sample = trace_sample({timeline_of(busy_job())});
  const auto data = data_of(sample);
  const DeviceReport& report = sample.reports[0].devices[0];
  const auto& device = data["traces"][0]["devices"][0];
  EXPECT_EQ(device["span_ns"], report.time.span().count());
  EXPECT_EQ(device["compute_ns"], report.time.compute.count());
  EXPECT_EQ(device["exposed_communication_ns"], report.time.exposed_communication.count());
  EXPECT_EQ(device["exposed_copies_ns"], report.time.exposed_copies.count());
  EXPECT_EQ(device["idle_ns"], report.time.idle.count());
  std::int64_t idle = 0;
  for (const auto& cause : device["idle_by_cause"]) idle += cause["total_ns"].get<std::int64_t>();
  EXPECT_EQ(idle, report.time.idle.count());
  EXPECT_EQ(data["traces"][0]["found"], "late_batch 31.5 %, exposed_communication 6.5 %");
}

TEST(TracePage, GivesNoIdleWhereItIsRefused) {
  TraceScript script = busy_job(4);
  TimelineEvents events = script.events();
  std::erase_if(events.device, [](const DeviceSpan& work) {
    return work.kind == DeviceKind::kKernel && work.correlation && *work.correlation % 4 == 0;
  });
  const auto data = data_of(trace_sample({[&] {
    events.rank = 0;
    return make_timeline(std::move(events));
  }()}));
  EXPECT_EQ(data["verdict"]["line"].get<std::string>().find("no idle is given"), 0U);
  const auto& trace = data["traces"][0];
  EXPECT_TRUE(trace["devices"][0]["idle_ns"].is_null());
  EXPECT_TRUE(trace["devices"][0]["idle_by_cause"].is_null());
  for (const auto& step : trace["full"]["lanes"]["steps"]) {
    EXPECT_TRUE(step["idle_ns"].is_null());
    EXPECT_TRUE(step["gaps"].empty());
  }
}

TEST(TracePage, ShowsNoFolderOfTheMachineAndKeepsHostileNamesText) {
  const std::string page = render_trace_html(trace_sample({timeline_of(hostile_job())}).input());
  EXPECT_THAT(page, Not(HasSubstr("/home")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("\\u003cscript\\u003ealert(1)\\u003c/script\\u003e"));
}

TEST(TracePage, OfManyRanksHasARowForEachAndLanesOfFew) {
  std::vector<Timeline> timelines;
  for (int rank = 0; rank < 20; ++rank) {
    // Rank 7 is idle for the least part of its span.
    timelines.push_back(timeline_of(busy_job(rank == 7 ? 2 : 8), rank));
  }
  const auto data = data_of(trace_sample(timelines));
  std::size_t full = 0;
  for (const auto& trace : data["traces"]) {
    EXPECT_EQ(trace["devices"].size(), 1U);
    if (!trace["full"].is_null()) ++full;
  }
  EXPECT_EQ(full, kMostTracesInFull);
  EXPECT_TRUE(data["traces"][7]["full"].is_null());
  EXPECT_FALSE(data["ranks"].is_null());
}

TEST(TracePage, TrustsItsTracesAsFarAsTheLeastTrustedOne) {
  std::vector<TraceReport> reports(3);
  EXPECT_EQ(trace_line(reports), "idle is a number (3 of 3 traces)");
  reports[1].trust.idle = IdleTrust::kRange;
  EXPECT_EQ(trace_line(reports), "idle is a range (1 of 3 traces)");
  reports[2].trust.idle = IdleTrust::kRefused;
  EXPECT_EQ(trace_line(reports), "no idle is given (1 of 3 traces)");
}

}  // namespace
}  // namespace traceml::testing
