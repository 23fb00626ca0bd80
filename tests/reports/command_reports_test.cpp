// Every report of a run whose arms are commands, from its launches on.

#include <gtest/gtest.h>

#include <string>

#include "harness/analysis/command_campaign.h"
#include "harness/plan/config_keys.h"
#include "harness/reports/all_reports.h"
#include "harness/reports/terminal.h"
#include "tests/reports/golden.h"

namespace traceml {
namespace {

Plan plan_of(LargerIs larger_is, const std::string& unit) {
  Config config;
  config.name = "overhead";
  config.question = "What does the tracer cost?";
  config.seed = 7;
  config.measure.unit = unit;
  config.measure.larger_is = larger_is;
  config.command.words = {"python3", "/home/ann/loop.py"};
  config.command.regex = "step_ms: ([0-9.]+)";
  for (const char* name : {"bare", "traced"}) config.arms.push_back(make_arm(config, name));
  config.arms[1].command.words = {"traceml", "run", "/home/ann/loop.py", "--name=a b"};
  config.arms[1].command.environment = {"OMP_NUM_THREADS=1"};
  config.arms[1].overridden = {"command", "environment"};
  GateConfig gate;
  gate.candidate = "traced";
  gate.baseline = "bare";
  gate.delta = 0.05;
  config.gates.push_back(gate);
  return make_plan(config, 1);
}

// Six valid blocks, and block 2 void at first. The second arm is `factor` times the first.
std::vector<CommandRecord> launches_of(double factor) {
  std::vector<CommandRecord> launches;
  const auto add = [&](int block, int order, bool valid) {
    CommandRecord launch;
    launch.launch = static_cast<std::int64_t>(launches.size());
    launch.arm = {(block + order) % 2};
    launch.block = block;
    launch.order = order;
    launch.wall = std::chrono::seconds(2);
    const double noise = 1 + 0.002 * static_cast<double>(launch.launch * 7 % 5);
    if (valid) launch.value = 0.8 * noise * (launch.arm.value == 1 ? factor : 1);
    if (!valid) launch.void_reason = "was killed by signal 11 (SIGSEGV)";
    launches.push_back(launch);
  };
  for (const int block : {0, 1, 2, 3, 4, 5, 2}) {
    const bool is_void = block == 2 && launches.size() < 6;
    add(block, 0, true);
    add(block, 1, !is_void);
  }
  return launches;
}

void expect_reports(const std::string& name, const Plan& plan, double factor, RunInfo info) {
  info.tool_version = "0.1.0";
  info.created_utc = "2026-11-29T18:15:00Z";
  info.device = "unknown";
  const CampaignSummary summary = summarize_commands(plan.facts, launches_of(factor));
  const ReportInput input{info, plan, summary, "results/overhead"};
  testing::expect_golden("commands_" + name + "/terminal_100.txt", render_terminal(input, {}));
  const auto files = render_files(input);
  EXPECT_FALSE(files.contains("final_summary.json"));
  for (const std::string file :
       {"summary.md", "junit.xml", "verdict.txt", "metrics.prom", "benchmark.json"}) {
    testing::expect_golden("commands_" + name + "/" + file, files.at(file));
    EXPECT_EQ(files.at(file).find("/home"), std::string::npos);
  }
}

TEST(CommandReports, of_times_look_like_their_golden_files) {
  RunInfo info;
  info.finished = true;
  expect_reports("time", plan_of(LargerIs::kWorse, "ms"), 1.49, info);
}

TEST(CommandReports, of_a_throughput_look_like_their_golden_files) {
  RunInfo info;
  info.finished = true;
  expect_reports("throughput", plan_of(LargerIs::kBetter, "images/s"), 1.01, info);
}

TEST(CommandReports, of_a_run_that_ended_early_look_like_their_golden_files) {
  RunInfo info;
  info.failure =
      "launch 5 (traced, block 2) ended with exit code 3; its output is in launches/0005";
  expect_reports("failed", plan_of(LargerIs::kWorse, "ms"), 1.2, info);
}

}  // namespace
}  // namespace traceml
