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

// Of the page its data without the tables, which stand in the other reports; what draws them is
// looked at in a browser.
std::string data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  const std::string data = page.substr(from, page.find("</script>", from) - from);
  auto json = nlohmann::ordered_json::parse(data);
  json.erase("tables");
  return json.dump(1) + "\n";
}

// A page repeats much of what the other reports say.
bool has_golden_page(const std::string& sample) {
  return sample == "fail" || sample == "device";
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
    if (name == "report.html") {
      if (has_golden_page(GetParam().name)) expect_golden(folder + "page.json", data_of(content));
    } else {
      expect_golden(folder + name, name == "run.json" ? without_keys(content) : content);
    }
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
