#include "harness/analysis/command_campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/analysis/campaign.h"

namespace traceml {
namespace {

using testing::HasSubstr;

CampaignFacts facts_of(bool larger_is_better, const std::string& unit) {
  CampaignFacts facts;
  facts.steps_per_window = 1;
  facts.interaction_sd = 0;
  facts.commands = CommandFacts{unit, larger_is_better};
  for (const char* name : {"old", "new"}) {
    ArmFacts arm;
    arm.name = name;
    arm.instrument = Instrument::kNone;
    facts.arms.push_back(arm);
  }
  GateSpec gate;
  gate.name = "new against old";
  gate.candidate = {1};
  gate.baseline = {0};
  facts.gates.push_back(gate);
  return facts;
}

// Builds what a campaign leaves, launch by launch.
class Launches {
 public:
  Launches& add(int block, int order, int arm, double value, const std::string& void_reason = "") {
    CommandRecord launch;
    launch.launch = static_cast<std::int64_t>(all_.size());
    launch.arm = {arm};
    launch.block = block;
    launch.order = order;
    launch.wall = Nanos(1000);
    if (void_reason.empty()) launch.value = value;
    launch.void_reason = void_reason;
    all_.push_back(launch);
    return *this;
  }

  // Both arms, the old one first in even blocks.
  Launches& block(int number, double old_value, double new_value) {
    const bool old_first = number % 2 == 0;
    add(number, 0, old_first ? 0 : 1, old_first ? old_value : new_value);
    return add(number, 1, old_first ? 1 : 0, old_first ? new_value : old_value);
  }

  const std::vector<CommandRecord>& all() const { return all_; }

 private:
  std::vector<CommandRecord> all_;
};

// Ratios of 1.1 on the whole, not all equal.
Launches six_blocks(bool larger_is_better) {
  Launches launches;
  for (int i = 0; i < 6; ++i) {
    const double ratio = 1.1 + 0.001 * i;
    launches.block(i, 10, larger_is_better ? 10 / ratio : 10 * ratio);
  }
  return launches;
}

TEST(Launches, that_got_slower_fail_without_an_allowance_for_one_launch) {
  const CampaignSummary summary =
      summarize_commands(facts_of(false, "ms"), six_blocks(false).all());
  EXPECT_EQ(summary.exit_code, 10);
  const GateResult& gate = summary.gates.at(0);
  EXPECT_NEAR(*gate.theta, std::log(1.1025), 1e-4);
  // t_{.9875, 4} = 3.49541: no more than the spread of the blocks widens the interval.
  const double half = (gate.interval->upper - gate.interval->lower) / 2;
  EXPECT_NEAR(half, 3.49541 * *gate.pair_sd / std::sqrt(6.0), 1e-6);
  EXPECT_EQ(summary.arms.at(1).images_per_s, std::nullopt);
}

TEST(Launches, of_a_throughput_are_judged_by_the_time_of_a_unit_of_work) {
  const CampaignSummary time = summarize_commands(facts_of(false, "ms"), six_blocks(false).all());
  const CampaignSummary throughput =
      summarize_commands(facts_of(true, "images/s"), six_blocks(true).all());
  EXPECT_NEAR(*throughput.gates[0].theta, *time.gates[0].theta, 1e-12);
  EXPECT_EQ(throughput.exit_code, 10);
  EXPECT_FALSE(throughput.arms[0].wall_per_step);
  EXPECT_FALSE(throughput.gates[0].mean_difference);
  EXPECT_TRUE(time.gates[0].mean_difference);
}

TEST(Launches, in_seconds_become_milliseconds) {
  const CampaignSummary summary = summarize_commands(facts_of(false, "s"), six_blocks(false).all());
  EXPECT_DOUBLE_EQ(summary.arms.at(0).wall_per_step->count(), 10000);
  EXPECT_DOUBLE_EQ(*summary.commands->arms.at(0).mean, 10);
}

TEST(Launches, of_a_void_block_count_nowhere_and_the_block_that_replaces_it_does) {
  Launches launches;
  launches.block(0, 10, 11).block(1, 10, 11);
  launches.add(2, 0, 0, 10).add(2, 1, 1, 0, "ended with exit code 3");
  launches.block(3, 10, 11.1).block(4, 10, 11).block(5, 10, 11).block(2, 10, 11.2);
  const CampaignFacts facts = facts_of(false, "ms");
  const RankRecords records = windows_of_commands(facts, launches.all());
  ASSERT_EQ(records.windows.size(), 12u);
  for (std::size_t i = 0; i < records.windows.size(); ++i) {
    EXPECT_EQ(records.windows[i].block, static_cast<int>(i / 2));
  }
  EXPECT_DOUBLE_EQ(records.windows.back().reported->count(), 11.2);
  const CampaignSummary summary = summarize_commands(facts, launches.all());
  EXPECT_EQ(summary.gates[0].blocks, 6);
  EXPECT_EQ(summary.gates[0].blocks_voided, 1);
  EXPECT_EQ(summary.exit_code, 10);
  EXPECT_EQ(summary.commands->arms[0].launches, 6);
  EXPECT_EQ(summary.commands->arms[0].voided, 1);
  EXPECT_THAT(summary.warnings,
              testing::Contains("launch 5 (new, block 2) voids its block: ended with exit code 3"));
}

// docs/statistics.md, 4.7: a launch stays whatever its number is, and forbids a verdict.
TEST(Launches, without_a_number_above_zero_leave_their_gate_without_a_verdict) {
  for (const bool larger_is_better : {false, true}) {
    for (const double value : {0.0, -2.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      Launches launches;
      for (int i = 0; i < 6; ++i) launches.block(i, 10 + 0.01 * i, i == 3 ? value : 10);
      const CampaignFacts facts = facts_of(larger_is_better, "images/s");
      const CampaignSummary summary = summarize_commands(facts, launches.all());
      EXPECT_EQ(summary.exit_code, 11) << value;
      const GateResult& gate = summary.gates.at(0);
      EXPECT_EQ(gate.reason, Reason::kNonfiniteOrNonpositiveTime) << value;
      EXPECT_THAT(gate.why, testing::StartsWith("launch 6 (new) gave ")) << value;
      EXPECT_FALSE(gate.theta) << value;
      EXPECT_EQ(gate.blocks_voided, 0) << value;
      EXPECT_EQ(summary.commands->arms[1].launches, 6);
      EXPECT_FALSE(summary.commands->arms[1].mean);
      EXPECT_FALSE(summary.arms[1].wall_per_step);
      EXPECT_TRUE(summary.commands->arms[0].mean);
      EXPECT_THAT(summary.warnings, testing::Contains(gate.why));
    }
  }
}

TEST(Launches, that_run_a_block_again_at_once_are_two_passes) {
  Launches launches;
  launches.add(5, 0, 0, 0, "was killed").add(5, 0, 0, 10).add(5, 1, 1, 10);
  const auto passes = passes_of(launches.all());
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_NE(passes[0].voided_by(), nullptr);
  EXPECT_EQ(passes[1].voided_by(), nullptr);
}

TEST(VoidBlocks, may_be_a_fifth_of_all_that_ran) {
  for (const int valid : {6, 10, 14, 20}) {
    const int most = void_blocks_allowed(valid);
    EXPECT_LE(most, 0.2 * (valid + most));
    EXPECT_GT(most + 1, 0.2 * (valid + most + 1));
  }
}

}  // namespace
}  // namespace traceml
