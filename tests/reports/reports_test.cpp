#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "harness/reports/all_reports.h"
#include "harness/reports/arm_tables.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/junit.h"
#include "harness/reports/markdown.h"
#include "harness/reports/terminal.h"
#include "harness/reports/text.h"
#include "tests/codec/temporary_folder.h"
#include "tests/reports/sample_input.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string terminal_of(const Sample& sample, int columns = 100) {
  return render_terminal(input_of(sample), {columns, false});
}

std::string verdict_of(const Sample& sample) {
  return render_verdict_line(input_of(sample));
}

class EverySample : public ::testing::TestWithParam<NamedSample> {};

TEST_P(EverySample, FitsTheTerminalAndSendsItNoControlCharacter) {
  const Sample sample = GetParam().make();
  for (const int columns : {80, 81, 100, 120, 200}) {
    std::istringstream lines(terminal_of(sample, columns));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(width_of(line), columns) << line;
      EXPECT_EQ(line, plain_text(line));
    }
  }
}

TEST_P(EverySample, OpensWithTheVerdictAndEndsWithItsLineAndTheFolder) {
  const Sample sample = GetParam().make();
  std::string text = terminal_of(sample);
  std::replace(text.begin(), text.end(), '\n', ' ');  // it is wrapped
  const std::string line = verdict_of(sample);
  EXPECT_THAT(text, StartsWith(line.substr(0, line.find(" ("))));
  const std::size_t last = text.rfind(line);
  ASSERT_NE(last, std::string::npos);
  EXPECT_THAT(text.substr(last), HasSubstr("results/food101-resnet18-20261129T181500 "));
}

TEST_P(EverySample, IsWellFormedJunit) {
  const TemporaryFolder folder;
  folder.write("junit.xml", render_junit(input_of(GetParam().make())));
  const std::string parse =
      "/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' ";
  if (std::system("/usr/bin/python3 -c ''") != 0) GTEST_SKIP() << "no /usr/bin/python3 here";
  EXPECT_EQ(std::system((parse + folder.path("junit.xml")).c_str()), 0);
}

TEST_P(EverySample, SharesNoFolderOfTheHostAndNoPlaceOfTheRun) {
  for (const auto& [name, content] : render_files(input_of(GetParam().make()))) {
    EXPECT_THAT(content, Not(HasSubstr("/home/"))) << name;
    EXPECT_THAT(content, Not(HasSubstr("results/"))) << name;
    // Data: nothing reads it as mark-up. The page has scripts of its own (html_test.cpp).
    if (name.ends_with(".json") || name.ends_with(".prom") || name.ends_with(".csv")) continue;
    if (name == "report.html") continue;
    EXPECT_THAT(content, Not(HasSubstr("<script>"))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EverySample, ::testing::ValuesIn(all_samples()),
                         [](const auto& test) { return test.param.name; });

TEST(GateOfAnArmThatWasLeftOut, HasNoEstimateAndOneSentenceInEveryForm) {
  Sample sample = failed_run();
  GateResult gate = left_out_gate();
  sample.summary.gates.push_back(gate);
  gate.spec.name = "engines every night";
  gate.outcome = Outcome::kFail;
  gate.escalated = true;
  sample.summary.gates.push_back(gate);
  const std::string sentence = "arm_left_out: the arm engines cannot run here";
  for (const GateText& text : gate_texts(input_of(sample))) {
    if (!text.name.starts_with("engines")) continue;
    EXPECT_THAT(text.estimate, HasSubstr("no estimate")) << text.name;
    ASSERT_EQ(text.sentences().size(), 1U) << text.name;
    EXPECT_THAT(sentence, ::testing::EndsWith(text.sentences().front())) << text.name;
  }
  EXPECT_THAT(terminal_of(sample), HasSubstr(sentence));
  EXPECT_THAT(render_markdown(input_of(sample)), HasSubstr("the arm engines cannot run here"));
  EXPECT_THAT(render_junit(input_of(sample)), HasSubstr("the arm engines cannot run here"));
}

TEST(VerdictLine, NamesOutcomeExitCodeAndReason) {
  EXPECT_EQ(verdict_of(passed_run()), "PASS (exit 0): 2 of 2 gates passed");
  EXPECT_EQ(verdict_of(failed_run()), "FAIL (exit 10): 1 of 3 gates failed");
  EXPECT_EQ(verdict_of(inconclusive_run()),
            "INCONCLUSIVE (exit 11): not_steady, 2 of 2 gates without a verdict, device cpu");
  EXPECT_EQ(verdict_of(run_without_gates()), "NO GATES (exit 0)");
  EXPECT_EQ(verdict_of(run_with_missing_rank()),
            "RUN FAILED (exit 4): rank 1 failed in arm shipped, window 7, step 12, input_wait: "
            "cannot read .../1204.jpg: not a JPEG file");
}

TEST(VerdictLine, OfARunThatEndedEarlyIsNeverAPass) {
  Sample sample = passed_run();
  sample.info.finished = false;
  EXPECT_EQ(verdict_of(sample),
            "RUN FAILED (exit 4): the run ended before its plan and left no reason (killed, or a "
            "lost machine)");
  sample.info.finished = true;
  sample.info.failure = "rank 1: disk full";
  EXPECT_EQ(verdict_of(sample), "RUN FAILED (exit 4): rank 1: disk full");
}

TEST(VerdictLine, KeepsTheCodeThatTheConfigGaveAnInconclusiveRun) {
  Sample sample = inconclusive_run();
  sample.summary.exit_code = 0;
  EXPECT_THAT(verdict_of(sample), StartsWith("INCONCLUSIVE (exit 0): "));
}

TEST(GateText, NeverShowsABoundThatMissesTheMarginAsTheMargin) {
  Sample sample = failed_run();
  sample.gate(2).interval = Interval{std::log(1.02004), std::log(1.05)};
  const GateText text = gate_texts(input_of(sample)).front();
  EXPECT_EQ(text.interval, "[+2.004, +5.000]");
  EXPECT_EQ(text.margin, "allows < 2 %");
}

TEST(GateText, PutsWhatNeedsAReaderFirst) {
  const Sample sample = failed_run();
  const auto texts = gate_texts(input_of(sample));
  EXPECT_EQ(texts[0].name, "deeper against shipped");
  EXPECT_EQ(texts[1].name, "shipped against reference");
}

TEST(GateText, SaysWhereTheTimeWent) {
  const Sample sample = failed_run();
  const std::string where = gate_texts(input_of(sample)).front().where;
  EXPECT_THAT(where, StartsWith("where: input_wait +5.32 ms of +5.49 ms wall per step; backward"));
  EXPECT_THAT(where, HasSubstr("host clock"));
}

TEST(GateText, CallsSeveralSettingsACombinedEffect) {
  const Sample sample = failed_run();
  const auto texts = gate_texts(input_of(sample));
  EXPECT_THAT(texts[0].differs, StartsWith("combined effect of 2 settings: "));
  EXPECT_THAT(texts[1].differs, StartsWith("differ in input.source"));
}

TEST(Terminal, ColoursTheWordsOnly) {
  const Sample sample = failed_run();
  std::string coloured = render_terminal(input_of(sample), {100, true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;38;5;208mFAIL\x1b[0m"));
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
       at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, terminal_of(sample));
}

TEST(Tables, NameTheClockOfEachFigure) {
  EXPECT_THAT(phase_table(passed_run().summary)->caption, HasSubstr("host clock"));
  const Table mixed = *phase_table(device_run().summary);
  EXPECT_THAT(mixed.caption, HasSubstr("each arm's clock"));
  EXPECT_EQ(mixed.columns[1].head, "reference, device");
  EXPECT_EQ(mixed.columns[3].head, "shipped, host");
}

TEST(Tables, TakeAShareFromFiguresOfOneClock) {
  Sample sample = device_run();
  PhaseFigure& forward = sample.arm("reference").global.phases[Phase::kForward];
  forward.cpu = Millis(1);
  forward.gpu = Millis(50);
  sample.arm("reference").global.step_cpu = Millis(2);
  sample.arm("reference").global.step_gpu = Millis(100);
  bool found = false;
  const auto table = phase_table(sample.summary);
  ASSERT_TRUE(table);
  for (const auto& row : table->rows) {
    if (row[0] != "forward") continue;
    found = true;
    EXPECT_EQ(row[1], "50.00");
    EXPECT_EQ(row[2], "50.0 %");
  }
  EXPECT_TRUE(found);
}

TEST(Tables, ShowRanksOnlyWhereTheyDiffer) {
  EXPECT_FALSE(rank_table(passed_run().summary));
  Sample sample = passed_run();
  sample.arm("shipped").ranks[1].figures.phases[Phase::kInputWait].cpu = Millis(9.1);
  const auto table = rank_table(sample.summary);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows.size(), 2U);
  EXPECT_THAT(table->rows[1][5], HasSubstr("input_wait +6.39 ms"));
}

TEST(Tables, OfManyRanksShowThoseThatStandOut) {
  const auto table = rank_table(device_run().summary);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows.size(), 1U);
  EXPECT_EQ(table->rows[0][1], "11");
  EXPECT_THAT(table->rows[0][5], HasSubstr("<- recurring"));
  EXPECT_THAT(table->remarks.at(0), HasSubstr("1 of 16 ranks of reference"));
}

TEST(Scenario, SaysWhichSettingsDifferByArmInsteadOfTheirDefault) {
  Sample sample = passed_run();
  ArmConfig arm{};
  arm.workload = sample.plan.config.workload;
  arm.input = sample.plan.config.input;
  arm.name = "without_threads";
  arm.input.workers = 0;
  arm.overridden = {"input.workers"};
  sample.plan.config.arms.push_back(arm);
  const std::string text = terminal_of(sample, 200);
  EXPECT_THAT(text, HasSubstr("workers by arm"));
  EXPECT_THAT(text, HasSubstr("without_threads {input.workers: 0}"));
  EXPECT_THAT(text, Not(HasSubstr("workers 2 a rank")));
}

TEST(Junit, CountsFailuresSkipsAndErrors) {
  EXPECT_THAT(render_junit(input_of(failed_run())),
              HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  // The second gate of that run says `inconclusive: pass`.
  EXPECT_THAT(render_junit(input_of(inconclusive_run())),
              HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(render_junit(input_of(run_with_missing_rank())),
              HasSubstr("tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"2\""));
  EXPECT_THAT(render_junit(input_of(run_without_gates())),
              HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
}

TEST(Junit, ShowsAGateWithoutAVerdictAsTheConfigSays) {
  Sample sample = inconclusive_run();
  const auto first_case = [&] {
    const std::string text = render_junit(input_of(sample));
    return text.substr(text.find("<testcase"), text.find("<system-out") - text.find("<testcase"));
  };
  EXPECT_THAT(first_case(), HasSubstr("<skipped message=\"INCONCLUSIVE: not_steady: "));
  sample.gate(0).spec.inconclusive_fails = true;
  EXPECT_THAT(first_case(), HasSubstr("<failure type=\"no_verdict\" message=\"INCONCLUSIVE: 95.7 "
                                      "% of input-free throughput [92.8, 98.7], needs &gt; 95 %, "
                                      "20 blocks\">not_steady: the first third"));
  EXPECT_THAT(render_junit(input_of(sample)),
              HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
}

TEST(Junit, SaysOfAnEscalatedGateThatItHadNoVerdict) {
  Sample sample = inconclusive_run();
  sample.gate(0).outcome = Outcome::kFail;
  sample.gate(0).escalated = true;
  sample.gate(0).why = "no verdict in 3 runs in a row";
  EXPECT_THAT(render_junit(input_of(sample)),
              HasSubstr("<failure type=\"no_verdict\" message=\"FAIL: "));
}

TEST(Reports, AreTheSameWhereverTheRunLies) {
  const Sample sample = failed_run();
  const ReportInput here{sample.info, sample.plan, sample.summary, "here"};
  const ReportInput there{sample.info, sample.plan, sample.summary, "/somewhere/else"};
  EXPECT_EQ(render_files(here), render_files(there));
}

}  // namespace
}  // namespace traceml::testing
