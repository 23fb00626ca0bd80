#include "harness/analysis/history.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/analysis/past_reports.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kGate = "shipped against reference";

std::vector<std::string> folders_of(const RunSeries& series) {
  std::vector<std::string> folders;
  for (const PastReport& run : series.runs) folders.push_back(run.folder);
  return folders;
}

TEST(History, OrdersRunsByTimeWhateverTheOrderOfTheFolders) {
  std::vector<PastReport> runs = past::nights(3, 0, kGate);
  std::swap(runs[0], runs[2]);
  const auto history = history_of(runs, {});
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_THAT(folders_of(history[0]),
              ElementsAre("results/night1", "results/night2", "results/night3"));
}

TEST(History, KeepsTheOrderGivenWhereTimesAreEqual) {
  std::vector<PastReport> runs = past::nights(3, 0, kGate);
  for (PastReport& run : runs) run.created_utc = "2026-11-01T00:00:00Z";
  std::swap(runs[0], runs[2]);
  EXPECT_THAT(folders_of(history_of(runs, {})[0]),
              ElementsAre("results/night3", "results/night2", "results/night1"));
}

TEST(History, KeepsOtherSettingsAndOtherNamesApart) {
  std::vector<PastReport> runs = past::nights(6, 0, kGate);
  runs[1].settings["shipped: input.workers"] = "4";
  runs[2].config = "other";
  const auto history = history_of(runs, {});
  ASSERT_THAT(history, SizeIs(3));
  EXPECT_THAT(history[0].runs, SizeIs(4));
  EXPECT_THAT(history[0].other_settings, IsEmpty());
  ASSERT_THAT(history[1].other_settings, SizeIs(1));
  EXPECT_EQ(history[1].other_settings[0].field, "shipped: input.workers");
  EXPECT_EQ(history[1].other_settings[0].from, "8");
  EXPECT_EQ(history[1].other_settings[0].to, "4");
  EXPECT_THAT(history[2].other_settings, IsEmpty());
}

TEST(History, MarksEachFieldOfTheFingerprintWhereItChanges) {
  std::vector<PastReport> runs = past::nights(5, 0, kGate);
  for (std::size_t i = 2; i < 5; ++i) runs[i].fingerprint["driver"] = "590.11";
  runs[4].fingerprint.erase("device");
  const RunSeries series = history_of(runs, {})[0];
  EXPECT_THAT(series.changes[0], IsEmpty());
  EXPECT_THAT(series.changes[1], IsEmpty());
  ASSERT_THAT(series.changes[2], SizeIs(1));
  EXPECT_EQ(series.changes[2][0].field, "driver");
  EXPECT_EQ(series.changes[2][0].from, "580.65.06");
  EXPECT_EQ(series.changes[2][0].to, "590.11");
  EXPECT_THAT(series.changes[3], IsEmpty());
  ASSERT_THAT(series.changes[4], SizeIs(1));
  EXPECT_EQ(series.changes[4][0].to, "none");
}

TEST(History, SeesACreepThatEveryNightPasses) {
  std::vector<PastReport> runs = past::nights(10, 0.0015, kGate);
  const auto history = history_of(runs, {});
  const auto& creep = history[0].gates[0].creep;
  ASSERT_TRUE(creep);
  EXPECT_TRUE(creep->proven);
  EXPECT_NEAR(creep->slope, 0.0015, 0.0003);
  EXPECT_TRUE(any_creep(history));
  EXPECT_FALSE(any_creep(history_of(past::nights(10, 0, kGate), {})));
}

TEST(History, CountsCreepFromTheAnchorOn) {
  std::vector<PastReport> runs = past::nights(12, 0, kGate);
  for (std::size_t i = 0; i < 6; ++i) runs[i].gates[0].theta = 0.01 * static_cast<double>(i);
  for (std::size_t i = 6; i < 12; ++i)
    runs[i].gates[0].theta = 0.06 - 0.001 * static_cast<double>(i);
  EXPECT_TRUE(history_of({runs.begin(), runs.begin() + 7}, {})[0].gates[0].creep->proven);
  const RunSeries series = history_of(runs, {0.05, "results/night7"})[0];
  EXPECT_EQ(series.anchor, 6U);
  EXPECT_EQ(series.gates[0].creep->runs, 6U);
  EXPECT_FALSE(series.gates[0].creep->proven);
  EXPECT_EQ(series.gates[0].points[0].not_counted, "before the anchor");
}

TEST(History, LeavesRunsOutOfATrendForWhatMakesTheirTimesWorthlessAndSaysSo) {
  std::vector<PastReport> runs = past::nights(8, 0.003, kGate);
  runs[1].finished = false;
  runs[2].gates[0].reasons = {"missing_rank"};
  runs[3].gates[0].theta.reset();
  runs[4].gates[0].reasons = {"wide_interval"};
  runs[4].gates[0].outcome = Outcome::kInconclusive;
  const GateSeries gate = history_of(runs, {})[0].gates[0];
  EXPECT_THAT(gate.points, SizeIs(8));
  EXPECT_EQ(gate.points[1].not_counted, "ended early");
  EXPECT_EQ(gate.points[2].not_counted, "missing_rank");
  EXPECT_EQ(gate.points[3].not_counted, "no estimate");
  EXPECT_EQ(gate.points[4].not_counted, "");
  EXPECT_FALSE(gate.creep);  // five are left
}

TEST(History, SharesAlphaAmongTheGatesOfASeries) {
  std::vector<PastReport> runs = past::nights(6, 0.003, kGate);
  for (PastReport& run : runs) run.gates.push_back(past::gate_of("another", 0));
  const auto history = history_of(runs, {});
  EXPECT_DOUBLE_EQ(history[0].gates[0].creep->level, 0.0125);
}

TEST(History, TakesAGateThatCameLater) {
  std::vector<PastReport> runs = past::nights(3, 0, kGate);
  runs[2].gates.push_back(past::gate_of("new", 0));
  const RunSeries series = history_of(runs, {})[0];
  ASSERT_THAT(series.gates, SizeIs(2));
  ASSERT_THAT(series.gates[1].points, SizeIs(1));
  EXPECT_EQ(series.gates[1].points[0].run, 2U);
}

}  // namespace
}  // namespace traceml
