// A run over time, through the whole path from records.

#include "harness/analysis/steps_over_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/analysis/step_bins.h"
#include "tests/analysis/two_arms.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two ranks, six blocks of eight steps after one to settle.
synthetic::Campaign six_blocks() {
  synthetic::Campaign campaign = two_arms(100);
  campaign.world_size = 2;
  campaign.blocks = campaign.max_blocks = 6;
  campaign.with_steps = true;
  return campaign;
}

class StepsOverTimeTest : public ::testing::Test {
 protected:
  StepsOverTimeTest() : ranks_(synthetic::records_of(campaign_)) {}

  StepsOverTime steps_over_time() const {
    return summarize_campaign(synthetic::facts_of(campaign_), ranks_).steps_over_time;
  }

  // A timed step of a window, from 0.
  StepRecord& step(int rank, std::int64_t window, std::int64_t timed) {
    for (StepRecord& step : ranks_.at(static_cast<std::size_t>(rank)).steps) {
      const bool wanted = step.window == WindowIndex{window} &&
                          step.step == StepIndex{timed + campaign_.settle_steps};
      if (wanted) return step;
    }
    throw std::out_of_range("no such step");
  }

  synthetic::Campaign campaign_ = six_blocks();
  std::vector<RankRecords> ranks_;
};

TEST_F(StepsOverTimeTest, HasTheWindowsInTheOrderOfTheRunWithTheirWall) {
  ranks_[1].windows[2].end_host += Nanos(8'000'000);  // 1 ms a step, on the slower rank
  const StepsOverTime run = steps_over_time();
  ASSERT_THAT(run.windows, SizeIs(12));
  for (std::size_t i = 0; i < run.windows.size(); ++i) {
    EXPECT_EQ(run.windows[i].window, WindowIndex{static_cast<std::int64_t>(i)});
    EXPECT_EQ(run.windows[i].block, static_cast<int>(i / 2));
    EXPECT_EQ(run.windows[i].order, static_cast<int>(i % 2));
  }
  const WindowRecord& slower = ranks_[1].windows[2];
  EXPECT_EQ(run.windows[2].wall, Millis(slower.end_host - slower.start_host) / 8);
}

TEST_F(StepsOverTimeTest, KeepsEachStepWhereThereAreFew) {
  const StepsOverTime run = steps_over_time();
  ASSERT_THAT(run.arms, SizeIs(2));
  EXPECT_THAT(run.arms[0].bins, SizeIs(48));
  EXPECT_THAT(run.arms[0].cells, SizeIs(96));
  EXPECT_THAT(run.arms[0].ranks, ElementsAre(Rank{0}, Rank{1}));
  const StepBin& last = run.arms[0].bins.back();
  EXPECT_EQ(last.first_step, 7);
  EXPECT_EQ(run.windows[last.first_window].arm, ArmIndex{0});
  EXPECT_EQ(run.windows[last.first_window].block, 5);
}

TEST_F(StepsOverTimeTest, LeavesAHoleWhereAStepHasNoTime) {
  step(1, 0, 3).phases[index_of(Phase::kTraced)] = std::nullopt;
  const StepsOverTime run = steps_over_time();
  const std::size_t arm = run.windows[0].arm == ArmIndex{0} ? 0 : 1;
  EXPECT_FALSE(run.arms[arm].cells[48 + 3]) << "rank 1";
  EXPECT_TRUE(run.arms[arm].cells[3]) << "rank 0";
  EXPECT_TRUE(run.arms[arm].bins[3].step) << "of rank 0 alone";
}

TEST_F(StepsOverTimeTest, LeavesAHoleForAStepThatARankLacks) {
  std::erase_if(ranks_[1].steps, [](const StepRecord& step) {
    return step.window == WindowIndex{0} && step.step == StepIndex{4};
  });
  const StepsOverTime run = steps_over_time();
  const std::size_t arm = run.windows[0].arm == ArmIndex{0} ? 0 : 1;
  EXPECT_THAT(run.arms[arm].bins, SizeIs(48));
  EXPECT_FALSE(run.arms[arm].bins[3].step);
  EXPECT_TRUE(run.arms[arm].bins[4].step);
}

TEST_F(StepsOverTimeTest, MarksTheStepThatStandsOutWithItsRank) {
  StepRecord& slow = step(1, 4, 2);
  slow.phases[index_of(Phase::kTraced)]->host = Nanos(400'000'000);
  const StepsOverTime run = steps_over_time();
  std::vector<MarkedStep> marked;
  for (const ArmSteps& arm : run.arms) {
    for (const MarkedStep& one : arm.outliers.steps) marked.push_back(one);
    EXPECT_EQ(arm.outliers.left_out, 0);
  }
  ASSERT_THAT(marked, SizeIs(1));
  EXPECT_EQ(marked[0].window, 4U);
  EXPECT_EQ(marked[0].step, 2);
  EXPECT_EQ(marked[0].rank, Rank{1});
  EXPECT_DOUBLE_EQ(marked[0].time.count(), 400.5);
}

TEST_F(StepsOverTimeTest, MarksWaitsOfMoreThanFiveMilliseconds) {
  step(0, 3, 1).phases[index_of(Phase::kInputWait)]->host = Nanos(5'000'001);
  step(0, 3, 2).phases[index_of(Phase::kInputWait)]->host = Nanos(5'000'000);
  const StepsOverTime run = steps_over_time();
  std::vector<MarkedStep> waits;
  for (const ArmSteps& arm : run.arms) {
    for (const MarkedStep& one : arm.long_waits.steps) waits.push_back(one);
  }
  ASSERT_THAT(waits, SizeIs(1));
  EXPECT_EQ(waits[0].window, 3U);
  EXPECT_EQ(waits[0].step, 1);
}

TEST_F(StepsOverTimeTest, TakesTheClockOfTheArm) {
  campaign_.with_device_times = true;
  ranks_ = synthetic::records_of(campaign_);
  const StepsOverTime run = steps_over_time();
  EXPECT_EQ(run.arms[0].clock, Clock::kGpu);
  EXPECT_NEAR(run.arms[0].bins[0].step->mean, 50, 2) << "half of the host's";
  EXPECT_NEAR(run.arms[0].bins[0].wait->mean, 0.5, 1e-9) << "on the host clock all the same";
}

TEST_F(StepsOverTimeTest, TellsWhatEachLookSaw) {
  const CampaignSummary summary = summarize_campaign(synthetic::facts_of(campaign_), ranks_);
  const GateCourse& gate = summary.steps_over_time.gates.at(0);
  EXPECT_THAT(gate.points, SizeIs(6));
  ASSERT_THAT(gate.looks, SizeIs(1));
  EXPECT_EQ(gate.looks[0].units, 6);
  EXPECT_EQ(gate.looks[0].theta, summary.gates[0].theta);
  EXPECT_EQ(gate.looks[0].interval, summary.gates[0].interval);
  const bool candidate_first = summary.steps_over_time.windows[0].arm == ArmIndex{0};
  EXPECT_EQ(gate.points[0].candidate_first, candidate_first);
  const Millis to = *summary.steps_over_time.windows[candidate_first ? 0 : 1].wall;
  const Millis from = *summary.steps_over_time.windows[candidate_first ? 1 : 0].wall;
  EXPECT_DOUBLE_EQ(*gate.points[0].log_ratio, std::log(to / from));
}

TEST_F(StepsOverTimeTest, OfAVoidWindowHasNoSteps) {
  for (RankRecords& rank : ranks_) rank.windows[0].void_reason = "throttled";
  const StepsOverTime run = steps_over_time();
  EXPECT_EQ(run.windows[0].void_reason, "throttled");
  EXPECT_TRUE(run.gates[0].points[0].voided);
  const std::size_t arm = run.windows[0].arm == ArmIndex{0} ? 0 : 1;
  EXPECT_FALSE(run.arms[arm].bins[0].step);
}

TEST_F(StepsOverTimeTest, OfWindowsHasMemoryQueueAndDevice) {
  step(1, 0, 3).allocated_peak_bytes = 100;
  step(0, 0, 5).allocated_peak_bytes = 70;
  ranks_[0].windows[0].queue_start = 2;
  ranks_[1].windows[0].queue_start = 0;
  for (const int rank : {0, 1}) {
    DeviceRecord record;
    record.window = WindowIndex{0};
    record.power_w = 500 + 100 * rank;
    record.throttle_reasons = rank == 0 ? 0x4 : 0x8;
    ranks_[static_cast<std::size_t>(rank)].devices.push_back(record);
  }
  const StepsOverTime run = steps_over_time();
  EXPECT_EQ(run.windows[0].allocated_peak_bytes, 100);
  EXPECT_EQ(run.windows[0].reserved_peak_bytes, std::nullopt);
  EXPECT_EQ(run.windows[0].queue_start, (Range{0, 1, 2}));
  EXPECT_EQ(run.windows[0].queue_end, std::nullopt);
  EXPECT_EQ(run.windows[0].power_w, (Range{500, 550, 600}));
  EXPECT_EQ(run.windows[0].throttle_reasons, 0xCU);
  EXPECT_EQ(run.windows[1].power_w, std::nullopt);
}

TEST(StepBins, AreFewHoweverManyRanksThereAre) {
  EXPECT_EQ(bins_for(1, 1), 600U);
  EXPECT_EQ(bins_for(1024, 2), 117U);
  EXPECT_EQ(bins_for(100'000, 2), 117U);
  EXPECT_EQ(bins_for(1024, 100), 24U);
}

TEST(StepBins, ShareRowsBetweenNeighboursWhereRanksAreVeryMany) {
  synthetic::Campaign campaign = six_blocks();
  campaign.world_size = 1500;
  campaign.blocks = campaign.max_blocks = 1;
  campaign.steps = 4;
  const StepsOverTime run =
      summarize_campaign(synthetic::facts_of(campaign), synthetic::records_of(campaign))
          .steps_over_time;
  EXPECT_EQ(run.arms[0].ranks_per_row, 2U);
  EXPECT_THAT(run.arms[0].cells, SizeIs(750 * run.arms[0].bins.size()));
}

TEST(StepBins, KeepTheSlowestStepInAFewBins) {
  synthetic::Campaign campaign = six_blocks();
  campaign.steps = 800;
  std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  for (StepRecord& step : ranks[1].steps) {
    if (step.window != WindowIndex{5} || step.step != StepIndex{401}) continue;
    step.phases[index_of(Phase::kTraced)]->host = Nanos(900'000'000);
  }
  const StepsOverTime run =
      summarize_campaign(synthetic::facts_of(campaign), ranks).steps_over_time;
  double largest = 0;
  std::size_t bins = 0;
  for (const ArmSteps& arm : run.arms) {
    bins += arm.bins.size();
    for (const auto& cell : arm.cells) largest = std::max(largest, cell->upper);
    for (const MarkedStep& one : arm.outliers.steps) EXPECT_EQ(one.step, 400);
  }
  EXPECT_EQ(bins, 2 * 600U);
  EXPECT_DOUBLE_EQ(largest, 900.5);
}

}  // namespace
}  // namespace traceml
