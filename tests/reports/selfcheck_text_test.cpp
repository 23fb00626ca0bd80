#include "harness/reports/selfcheck_text.h"

#include <gmock/gmock.h>

#include "tests/reports/golden.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;

SelfcheckReport sample() {
  SelfcheckReport report;
  report.config_name = "food101-resnet18";
  report.request.arm = "shipped";
  report.request.config_hash = "0a1b2c3d4e5f6071";
  report.request.created_utc = "2026-11-30T02:00:00Z";
  report.profile.machine = {{"device", "2 x H200"}, {"world_size", "2"}};
  report.finished = 20;
  SelfcheckSummary& summary = report.summary;
  summary.delta = .02;
  summary.claims = {20, 0, 1, 0, 1.0, 4};
  summary.noise = VarianceComponents{20, 312, .0141, .0049, .0012, .0043};
  summary.minimum_detectable = .0151;
  summary.detectable_with_profile = .0131;
  summary.budgets = {{.01, .8, 14, 7}, {.01, .9, 20, 9}, {.02, .8, {}, {}}, {.02, .9, {}, {}}};
  summary.plants = {{"shipped-plus-3", 20, 9, .0262, 12.2}, {"shipped-plus-5", 20, 20, .0438, 6.8}};
  return report;
}

void expect_pages(const std::string& name, const SelfcheckReport& report) {
  for (const int columns : {80, 120}) {
    const std::string text =
        render_selfcheck(report, "results/food101-selfcheck", {columns, false});
    expect_golden("selfcheck/" + name + "_" + std::to_string(columns) + ".txt", text);
    EXPECT_THAT(text,
                HasSubstr(report.summary.claims.broken() ? "STATISTICS BROKEN HERE" : " (exit "));
  }
}

TEST(SelfcheckText, OfOneLaunchARunLooksLikeItsGoldenFile) {
  expect_pages("seldom_found", sample());
}

TEST(SelfcheckText, OfSeveralLaunchesARunLooksLikeItsGoldenFile) {
  SelfcheckReport report = sample();
  report.request.launches = 6;
  report.summary.facts.pooled = true;
  report.summary.facts.launches = 6;
  report.summary.facts.max_blocks = 4;
  report.summary.plants.clear();
  report.summary.noise->launches = 120;
  report.summary.detectable_with_profile.reset();
  report.unfinished = 1;
  report.clock = "virtual clock";
  expect_pages("of_launches", report);
}

TEST(SelfcheckText, OfBrokenStatisticsLooksLikeItsGoldenFile) {
  SelfcheckReport report = sample();
  report.summary.claims = {20, 3, 5, 4, 1.0, 4};
  report.summary.plants.clear();
  report.summary.budgets.clear();
  expect_pages("broken", report);
}

TEST(SelfcheckText, OfFewRunsSaysWhatTheyDoNotShow) {
  SelfcheckReport report = sample();
  report.finished = 1;
  report.summary.claims = {1, 0, 0, 0, .05, {}};
  report.summary.noise.reset();
  report.summary.minimum_detectable.reset();
  report.summary.detectable_with_profile.reset();
  report.summary.budgets.clear();
  report.summary.plants.clear();
  expect_pages("one_run", report);
}

TEST(SelfcheckJson, LooksLikeItsGoldenFile) {
  expect_golden("selfcheck/selfcheck.json", write_selfcheck_json(sample()));
}

}  // namespace
}  // namespace traceml::testing
