#include "harness/reports/html/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/reports/html/json_writer.h"
#include "harness/reports/html/page_data.h"
#include "harness/reports/html/sha256.h"
#include "tests/analysis/past_reports.h"
#include "tests/reports/sample_input.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string hex(const std::array<std::uint8_t, 32>& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xF];
  }
  return text;
}

TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, NamesAScriptAsAPolicyDoes) {
  EXPECT_EQ(source_hash("alert('Hello, world.');"),
            "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
}

std::string json_of(std::string_view text) {
  JsonWriter json;
  json.value(text);
  return json.text();
}

TEST(JsonWriter, LetsNoTextEndItsElement) {
  EXPECT_EQ(json_of("</script><!--&\"\\"), R"("\u003c/script\u003e\u003c!--\u0026\"\\")");
  EXPECT_EQ(json_of("a\u2028b\u2029c\x1b[31m\n"), R"("abc[31m ")");
  EXPECT_EQ(json_of("/home/ann/food"), R"(".../food")");
}

TEST(JsonWriter, WritesNullForWhatIsMissingOrNoNumber) {
  JsonWriter json;
  json.begin_array();
  json.value(std::optional<double>());
  json.value(std::numeric_limits<double>::quiet_NaN());
  json.rounded(std::nullopt);
  json.rounded(INFINITY);
  json.value(std::optional(0.0));
  json.end_array();
  EXPECT_EQ(json.text(), "[null,null,null,null,0]");
}

TEST(JsonWriter, WritesNumbersThatReadBackToTheSameDouble) {
  JsonWriter json;
  json.value(0.1 + 0.2);
  EXPECT_EQ(std::stod(json.text()), 0.1 + 0.2);
}

TEST(JsonWriter, SetsCommasBetweenMembersAlone) {
  JsonWriter json;
  json.begin_object();
  json.member("a", 1);
  json.key("b");
  json.begin_array();
  json.begin_object();
  json.end_object();
  json.value(true);
  json.end_array();
  json.member("c", "x");
  json.end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":[{},true],"c":"x"})");
}

// What stands between `begin` and the next `end` behind place `at`.
std::string between(const std::string& page, std::string_view begin, std::string_view end,
                    std::size_t at = 0) {
  const std::size_t from = page.find(begin, at) + begin.size();
  return page.substr(from, page.find(end, from) - from);
}

std::size_t count_of(const std::string& page, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) {
    ++count;
  }
  return count;
}

class EveryPage : public ::testing::TestWithParam<NamedSample> {};

TEST_P(EveryPage, RunsItsOwnScriptsByTheirHashAndAsksTheNetworkForNothing) {
  const Sample sample = GetParam().make();
  const std::string page = render_html(input_of(sample));
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_THAT(policy, StartsWith("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
  const std::string chart = between(page, "<script>", "</script>");
  const std::string own = between(page, "<script>", "</script>", page.find(chart) + chart.size());
  for (const std::string& part : {chart, own, between(page, "<style>", "</style>")}) {
    EXPECT_THAT(policy, HasSubstr("'" + source_hash(part) + "'"));
  }
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_EQ(count_of(page, "</script"), 3U);
}

TEST_P(EveryPage, IsTheSameEachTime) {
  const Sample sample = GetParam().make();
  EXPECT_EQ(render_html(input_of(sample)), render_html(input_of(sample)));
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryPage, ::testing::ValuesIn(all_samples()),
                         [](const auto& test) { return test.param.name; });

TEST(Page, KeepsAHostileNameText) {
  const Sample sample = run_with_hostile_names();
  const std::string page = render_html(input_of(sample));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("\\u003cscript\\u003ealert(1)\\u003c/script\\u003e\\u0026"));
  EXPECT_THAT(between(page, "<title>", "</title>"), HasSubstr("&lt;script&gt;alert(1)"));
}

TEST(Page, TellsReadersWithoutScriptsTheVerdictAndTheGates) {
  const Sample sample = failed_run();
  const std::string page = render_html(input_of(sample));
  const std::string plain = between(page, "<noscript>", "</noscript>");
  EXPECT_THAT(plain, HasSubstr("<h1>FAIL (exit 10): 1 of 3 gates failed</h1>"));
  EXPECT_THAT(plain, HasSubstr("<li>FAIL deeper against shipped: "));
}

nlohmann::json data_of(const std::string& page) {
  return nlohmann::json::parse(between(page, "id=\"data\">", "</script>"));
}

StoredRun stored_run(const std::string& label, std::optional<double> wall_ms) {
  StoredRun run;
  run.label = label;
  run.form = "traceml-bench 0.1.0, arm shipped";
  run.world_size = 1;
  run.wall_ms = wall_ms;
  return run;
}

TEST(ComparePage, HasTheVerdictItsMarginAndEachPair) {
  std::vector<StoredRun> baseline, candidate;
  for (int i = 0; i < 6; ++i) {
    baseline.push_back(stored_run("a" + std::to_string(i), 40 + 0.01 * i));
    candidate.push_back(stored_run("<b>" + std::to_string(i), 42 + 0.01 * (5 - i)));
  }
  const RunSetRule rule;
  const RunSetComparison comparison = compare_run_sets(baseline, candidate, rule);
  const CompareInput input{baseline, candidate, rule, comparison};
  const std::string page = render_compare_html(input);
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  const auto data = data_of(page);
  EXPECT_EQ(data["verdict"]["line"], render_compare_line(input));
  EXPECT_EQ(data["gates"][0]["margin"], 0.02);
  EXPECT_EQ(data["gates"][0]["lower"], std::expm1(comparison.interval->lower));
  ASSERT_EQ(data["pairs"].size(), 6U);
  EXPECT_EQ(data["pairs"][1]["candidate"], "<b>1");
  EXPECT_EQ(data["pairs"][1]["log_ratio"], std::log(42.04 / 40.01));
}

TEST(ComparePage, NamesRunsWithoutTheirFolders) {
  const std::vector<StoredRun> runs = {stored_run("/home/ann/my secret/a.json", 40)};
  const RunSetRule rule;
  const RunSetComparison comparison = compare_run_sets(runs, runs, rule);
  const auto data = data_of(render_compare_html({runs, runs, rule, comparison}));
  EXPECT_EQ(data["pairs"][0]["baseline"], ".../a.json");
  EXPECT_EQ(data["pairs"][0]["candidate"], ".../a.json");
}

TEST(ComparePage, OfOneUncommonClockHasNullsAndNoZeros) {
  const std::vector<StoredRun> runs = {stored_run("a", std::nullopt)};
  const RunSetRule rule;
  const RunSetComparison comparison = compare_run_sets(runs, runs, rule);
  const auto data = data_of(render_compare_html({runs, runs, rule, comparison}));
  EXPECT_TRUE(data["gates"][0]["estimate"].is_null());
  EXPECT_TRUE(data["gates"][0]["change"]["upper"].is_null());
  EXPECT_TRUE(data["phase_clock"].is_null());
}

TEST(SelfcheckPage, HasEachRunOfEachArmAndNullForWhatIsNotKnown) {
  SelfcheckReport report;
  report.config_name = "<b>equal</b>";
  report.request.arm = "shipped";
  report.finished = 2;
  report.summary.delta = .02;
  report.summary.claims = {2, 0, 0, 0, .1, {}};
  report.summary.budgets = {{.02, .8, {}, 6}};
  report.summary.arms = {{"shipped-again",
                          {{Outcome::kPass, Direction::kUnresolved, .001, -.004, .006},
                           {Outcome::kInconclusive, Direction::kUnresolved, {}, {}, {}}}}};
  report.unfinished = 1;
  const std::string page = render_selfcheck_html(report);
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  const auto data = data_of(page);
  EXPECT_EQ(data["verdict"]["state"], "inconclusive");
  EXPECT_EQ(data["margin"], .02);
  EXPECT_EQ(data["claims"][0]["runs"][0]["upper"], .006);
  EXPECT_TRUE(data["claims"][0]["runs"][1]["estimate"].is_null());
  EXPECT_EQ(data["facts"].back()[0], "unfinished");
  EXPECT_EQ(data["tables"][0]["title"], "Budget");
  EXPECT_THAT(data["tables"][0]["rows"][0][2], "never");
}

TEST(HistoryPage, HasEachGateOfEachRunAndWhatChanged) {
  std::vector<PastReport> runs = past::nights(12, 0.003, "<i>deeper</i>");
  runs[6].gates[0].estimate.reset();
  runs[6].gates[0].theta.reset();
  runs[6].gates[0].interval.reset();
  for (std::size_t i = 8; i < runs.size(); ++i) runs[i].fingerprint["driver"] = "590.11.01";
  const std::string page =
      render_history_html(history_of(runs, {}), {{"results/night13", "run.json is torn"}});
  EXPECT_THAT(page, Not(HasSubstr("<i>")));
  EXPECT_THAT(between(page, "<noscript>", "</noscript>"),
              HasSubstr("<h1>CREEP (1 of 1 gate over 12 runs)</h1>"));
  const auto data = data_of(page);
  const auto& series = data["series"][0];
  EXPECT_EQ(series["runs"][8]["changed"], "driver 580.65.06 -> 590.11.01");
  EXPECT_EQ(series["runs"][7]["changed"], "");
  EXPECT_EQ(series["gates"][0]["creeps"], true);
  ASSERT_EQ(series["gates"][0]["points"].size(), 12U);
  EXPECT_TRUE(series["gates"][0]["points"][6]["estimate"].is_null());
  EXPECT_EQ(series["gates"][0]["points"][7]["estimate"], *runs[7].gates[0].estimate);
  EXPECT_EQ(data["left_out"][0], "run.json is torn");
}

TEST(HistoryPage, NamesRunsWithoutTheirFolders) {
  std::vector<PastReport> runs = past::nights(3, 0, "deeper");
  runs[1].folder = "/home/ann/my secret/night 2";
  const auto data = data_of(render_history_html(history_of(runs, {}), {}));
  EXPECT_EQ(data["series"][0]["runs"][1]["folder"], ".../night 2");
}

}  // namespace
}  // namespace traceml::testing
