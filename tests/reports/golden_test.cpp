#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "harness/reports/all_reports.h"
#include "harness/reports/terminal.h"
#include "tests/reports/golden.h"
#include "tests/reports/sample_input.h"

namespace traceml::testing {
namespace {

// A new config key is no change of this report.
std::string without_keys(const std::string& run_json) {
  auto json = nlohmann::ordered_json::parse(run_json);
  json["config"].erase("keys");
  return json.dump(2) + "\n";
}

class EveryReport : public ::testing::TestWithParam<NamedSample> {};

TEST_P(EveryReport, LooksLikeItsGoldenFiles) {
  const Sample sample = GetParam().make();
  const std::string folder = GetParam().name + "/";
  for (const int columns : {80, 120}) {
    expect_golden(folder + "terminal_" + std::to_string(columns) + ".txt",
                  render_terminal(input_of(sample), {columns, false}));
  }
  for (const auto& [name, content] : render_files(input_of(sample))) {
    expect_golden(folder + name, name == "run.json" ? without_keys(content) : content);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryReport, ::testing::ValuesIn(all_samples()),
                         [](const auto& test) { return test.param.name; });

TEST(Golden, AColouredTerminalHasColouredOutcomeWordsOnly) {
  const Sample failed = failed_run();
  expect_golden("fail/terminal_colour.txt", render_terminal(input_of(failed), {100, true}));
}

}  // namespace

}  // namespace traceml::testing
