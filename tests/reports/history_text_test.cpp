#include "harness/reports/history_text.h"

#include <gmock/gmock.h>

#include <sstream>

#include "harness/reports/series_chart.h"
#include "harness/reports/text.h"
#include "tests/analysis/past_reports.h"
#include "tests/reports/golden.h"

namespace traceml {
namespace {

using testing::expect_golden;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "a|b <x>\x1b[31m\nred";

// Twelve nights that creep, a new driver at the ninth, a run that failed; a second gate, a
// fraction, of which one night has no verdict; and two nights with other settings.
std::vector<RunSeries> sample_history() {
  std::vector<PastReport> runs = past::nights(12, 0.0014, "deeper against shipped");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    PastGate fraction = past::gate_of(std::string(kHostile) + " against reference", 0.02);
    fraction.fraction = true;
    fraction.estimate = 0.978 + 0.001 * static_cast<double>(i * 5 % 7);
    fraction.interval = Interval{*fraction.estimate - 0.006, *fraction.estimate + 0.006};
    fraction.margin = 0.95;
    fraction.theta = -std::log(*fraction.estimate);
    runs[i].gates.push_back(fraction);
    if (i >= 8) runs[i].fingerprint["driver"] = "590.11.01";
    if (i >= 8) runs[i].fingerprint["libtorch"] = "2.12.0";
  }
  runs[4].gates[1].outcome = Outcome::kInconclusive;
  runs[4].gates[1].reasons = {"wide_interval"};
  runs[4].gates[1].interval = Interval{0.90, 1.10};
  runs[6].finished = false;
  runs[6].exit_code = 4;
  runs[6].gates[0].estimate.reset();
  runs[6].gates[0].theta.reset();
  runs[6].gates[0].interval.reset();
  runs[6].gates[0].reasons = {"missing_rank"};
  runs[6].gates[0].outcome = Outcome::kInconclusive;
  runs[11].gates[0].outcome = Outcome::kFail;
  for (int i = 0; i < 2; ++i) {
    PastReport other = past::night(20 + i, {past::gate_of("deeper against shipped", 0.001)});
    other.settings["shipped: input.workers"] = "4";
    other.config_hash = "7f3d8e01";
    runs.push_back(other);
  }
  return history_of(runs, {});
}

TEST(HistoryText, LooksLikeItsGoldenFiles) {
  for (const int columns : {80, 120}) {
    const std::string text = render_history(sample_history(),
                                            {{"results/night13",
                                              "results/night13/run.json:4:1: is not JSON: it ends "
                                              "too early"}},
                                            columns);
    expect_golden("history/terminal_" + std::to_string(columns) + ".txt", text);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(width_of(line), columns) << line;
      EXPECT_EQ(line, plain_text(line));
    }
  }
  expect_golden("history/history.json",
                write_history_json(sample_history(), {{"results/night13", "is torn"}}));
}

TEST(HistoryText, SaysHowManyRunsATrendNeeds) {
  const auto history = history_of(past::nights(3, 0, "g"), {});
  EXPECT_THAT(render_history(history, {}, 120), HasSubstr("g: 3 runs count, and a trend needs 6"));
}

TEST(HistoryText, OfRunsWithoutGatesSaysSo) {
  const auto history = history_of({past::night(1, {})}, {});
  EXPECT_THAT(render_history(history, {}, 80), HasSubstr("no run has a gate"));
}

SeriesChart chart_of(std::size_t points) {
  SeriesChart chart;
  for (std::size_t i = 0; i < points; ++i) {
    chart.points.push_back({'o', ' ', static_cast<double>(i), std::nullopt});
  }
  chart.label_of = [](double value) { return std::to_string(static_cast<int>(value)); };
  return chart;
}

TEST(SeriesChart, DrawsTheLastOfMoreRunsThanThereAreColumns) {
  SeriesChart chart = chart_of(200);
  EXPECT_EQ(points_drawn(chart, 80), 69U);
  for (const std::string& line : draw_chart(chart, 80)) EXPECT_LE(line.size(), 80U);
}

TEST(SeriesChart, RisesToTheRightAndShowsEveryRun) {
  const auto lines = draw_chart(chart_of(9), 80);
  std::size_t last = std::string::npos;
  int glyphs = 0;
  for (const std::string& line : lines) {
    const std::size_t at = line.find('o');
    if (at == std::string::npos) continue;
    EXPECT_LT(at, last) << "higher lines stand further right";
    last = at;
    glyphs += static_cast<int>(std::count(line.begin(), line.end(), 'o'));
  }
  EXPECT_EQ(glyphs, 9);
}

TEST(SeriesChart, CutsAnIntervalAtItsFrame) {
  SeriesChart chart = chart_of(3);
  chart.points[1].interval = Interval{-1e9, 1e9};
  const auto lines = draw_chart(chart, 80);
  EXPECT_EQ(lines.size(), 9U);
  for (const std::string& line : lines) {
    EXPECT_THAT(line, ::testing::AnyOf(HasSubstr(":"), HasSubstr("o")));
  }
}

TEST(SeriesChart, OfOneRunOrOfNoneIsEmpty) {
  EXPECT_TRUE(draw_chart(chart_of(1), 80).empty());
  EXPECT_TRUE(draw_chart(chart_of(0), 80).empty());
}

}  // namespace
}  // namespace traceml
