#include <gtest/gtest.h>

#include "harness/reports/all_reports.h"
#include "harness/reports/terminal.h"
#include "tests/reports/golden.h"
#include "tests/reports/sample_summary.h"

namespace traceml::testing {
namespace {

class EveryReport : public ::testing::TestWithParam<NamedSample> {};

TEST_P(EveryReport, LooksLikeItsGoldenFiles) {
  const Sample sample = GetParam().make();
  const std::string folder = GetParam().name + "/";
  for (const int columns : {80, 120}) {
    expect_golden(folder + "terminal_" + std::to_string(columns) + ".txt",
                  render_terminal(sample.input(), {columns, false}));
  }
  for (const auto& [name, content] : render_files(sample.input())) {
    expect_golden(folder + name, content);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryReport, ::testing::ValuesIn(all_samples()),
                         [](const auto& test) { return test.param.name; });

TEST(Golden, AColouredTerminalHasColouredOutcomeWordsOnly) {
  expect_golden("fail/terminal_colour.txt", render_terminal(failed_run().input(), {100, true}));
}

}  // namespace

void PrintTo(const NamedSample& sample, std::ostream* out) {
  *out << sample.name;
}

}  // namespace traceml::testing
