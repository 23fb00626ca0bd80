#include "harness/analysis/window.h"

#include <gtest/gtest.h>

#include "harness/analysis/where.h"

namespace traceml {
namespace {

using std::chrono::milliseconds;

StepRecord record(std::int64_t window, std::int64_t step, milliseconds start) {
  StepRecord own;
  own.window = WindowIndex{window};
  own.step = StepIndex{step};
  own.timed = true;
  own.start_host = start;
  const auto set = [&](Phase phase, int host, int device) {
    own.phases[index_of(phase)] = DualTime{milliseconds(host), milliseconds(device)};
  };
  set(Phase::kInputWait, 2, 1);
  set(Phase::kForward, 30, 14);
  set(Phase::kBackward, 50, 25);
  set(Phase::kOptimizer, 10, 5);
  set(Phase::kTraced, 95, 46);
  return own;
}

RankRows rows_of(int rank, const std::vector<StepRecord>& records) {
  RankRows rows{Rank{rank}, {}};
  for (const StepRecord& own : records) rows.rows.push_back(&own);
  return rows;
}

TEST(Window, outside_is_cadence_less_step_within_each_window) {
  // 97 ms of step; cadences 100 and 104 ms; nothing between window 3 and window 4.
  const std::vector<StepRecord> records = {
      record(3, 1, milliseconds(0)), record(3, 2, milliseconds(100)),
      record(4, 1, milliseconds(5000)), record(4, 2, milliseconds(5104))};
  const Rank expected[] = {{0}};
  const WindowFigures window = analyze_window(expected, {rows_of(0, records)});
  EXPECT_DOUBLE_EQ(window.global.outside->count(), 5.0);
  EXPECT_EQ(window.clock, Clock::kGpu);
}

TEST(Window, outside_is_null_where_no_two_steps_follow_each_other) {
  const std::vector<StepRecord> records = {record(3, 1, milliseconds(0)),
                                           record(3, 3, milliseconds(200))};
  const Rank expected[] = {{0}};
  const WindowFigures window = analyze_window(expected, {rows_of(0, records)});
  EXPECT_FALSE(window.global.outside);
  ASSERT_EQ(window.gaps.size(), 1u);
  EXPECT_EQ(window.gaps[0], (StepGap{{3}, {2}, {2}}));
}

TEST(Window, outside_is_null_where_the_host_step_is) {
  std::vector<StepRecord> records = {record(3, 1, milliseconds(0)),
                                     record(3, 2, milliseconds(100))};
  records[0].phases[index_of(Phase::kTraced)]->host = std::nullopt;
  const Rank expected[] = {{0}};
  EXPECT_FALSE(analyze_window(expected, {rows_of(0, records)}).global.outside);
}

TEST(Window, the_same_step_number_of_two_windows_is_two_steps) {
  const std::vector<StepRecord> zero = {record(3, 1, milliseconds(0)),
                                        record(4, 1, milliseconds(0))};
  const std::vector<StepRecord> one = {record(4, 1, milliseconds(0)),
                                       record(5, 1, milliseconds(0))};
  const Rank expected[] = {{0}, {1}};
  const WindowFigures window = analyze_window(expected, {rows_of(1, one), rows_of(0, zero)});
  ASSERT_EQ(window.steps.size(), 1u);
  EXPECT_EQ(window.steps[0], (StepKey{{4}, {1}}));
  EXPECT_EQ(window.gaps.size(), 2u);
}

TEST(Window, a_step_recorded_twice_counts_once) {
  std::vector<StepRecord> records = {record(3, 1, milliseconds(0)), record(3, 1, milliseconds(0))};
  records[1].phases[index_of(Phase::kForward)] = DualTime{milliseconds(900), milliseconds(900)};
  const Rank expected[] = {{0}};
  const WindowFigures window = analyze_window(expected, {rows_of(0, records)});
  EXPECT_EQ(window.steps.size(), 1u);
  EXPECT_DOUBLE_EQ(figure_of(window.global, Phase::kForward, Clock::kGpu)->count(), 14);
}

TEST(Window, the_reason_for_the_host_clock_names_coverage_and_the_first_lack) {
  std::vector<StepRecord> zero = {record(3, 1, milliseconds(0)), record(3, 2, milliseconds(0))};
  std::vector<StepRecord> one = zero;
  one[1].phases[index_of(Phase::kBackward)]->device = std::nullopt;
  const Rank expected[] = {{0}, {1}};
  const WindowFigures window = analyze_window(expected, {rows_of(0, zero), rows_of(1, one)});
  EXPECT_EQ(window.clock, Clock::kCpu);
  EXPECT_EQ(window.clock_why,
            "device times are incomplete (1: 1/2); the first to lack is rank 1, window 3, step 2, "
            "backward");
}

TEST(Window, a_run_without_device_times_says_no_device_clock) {
  std::vector<StepRecord> records = {record(3, 1, milliseconds(0))};
  for (auto& phase : records[0].phases) {
    if (phase) phase->device = std::nullopt;
  }
  const Rank expected[] = {{0}};
  EXPECT_EQ(analyze_window(expected, {rows_of(0, records)}).clock_why, "no device clock");
}

TEST(Window, the_slowest_rank_of_a_step_is_null_where_one_rank_has_no_time) {
  std::vector<StepRecord> zero = {record(3, 1, milliseconds(0)), record(3, 2, milliseconds(0))};
  std::vector<StepRecord> one = zero;
  zero[0].phases[index_of(Phase::kTraced)]->host = milliseconds(120);
  one[1].phases[index_of(Phase::kTraced)]->host = std::nullopt;
  const Rank expected[] = {{0}, {1}};
  const AlignedRows rows = align_rows(expected, {rows_of(0, zero), rows_of(1, one)});
  const auto slowest = slowest_rank_ms(rows, Clock::kCpu);
  ASSERT_EQ(slowest.size(), 2u);
  EXPECT_DOUBLE_EQ(slowest[0].value(), 122);
  EXPECT_FALSE(slowest[1]);
}

ArmAnalysis arm_with(const std::vector<StepRecord>& records) {
  const Rank expected[] = {{0}};
  ArmAnalysis arm;
  arm.figures = analyze_window(expected, {rows_of(0, records)});
  arm.summary.clock = arm.figures.clock;
  arm.summary.global = arm.figures.global;
  return arm;
}

TEST(Where, differences_are_taken_on_the_common_clock_only) {
  std::vector<StepRecord> candidate = {record(3, 1, milliseconds(0))};
  candidate[0].phases[index_of(Phase::kForward)]->host = milliseconds(37);
  candidate[0].phases[index_of(Phase::kBackward)]->device = std::nullopt;  // cpu from here on
  const auto differences =
      differences_between(arm_with(candidate), arm_with({record(3, 1, milliseconds(0))}));
  ASSERT_FALSE(differences.empty());
  EXPECT_EQ(differences[0].what, "forward");
  EXPECT_EQ(differences[0].clock, Clock::kCpu);
  EXPECT_DOUBLE_EQ(differences[0].difference.count(), 7);
}

TEST(Where, a_phase_that_one_arm_never_has_costs_nothing_there) {
  std::vector<StepRecord> candidate = {record(3, 1, milliseconds(0))};
  candidate[0].phases[index_of(Phase::kDecode)] = DualTime{milliseconds(9), milliseconds(4)};
  const auto differences =
      differences_between(arm_with(candidate), arm_with({record(3, 1, milliseconds(0))}));
  EXPECT_EQ(differences[0].what, "decode");
  EXPECT_EQ(differences[0].clock, Clock::kGpu);
  EXPECT_DOUBLE_EQ(differences[0].difference.count(), 4);
}

TEST(Where, a_phase_that_was_not_measured_is_no_difference) {
  std::vector<StepRecord> candidate = {record(3, 1, milliseconds(0))};
  candidate[0].phases[index_of(Phase::kDecode)] = DualTime{std::nullopt, std::nullopt};
  const auto differences =
      differences_between(arm_with(candidate), arm_with({record(3, 1, milliseconds(0))}));
  for (const PhaseDifference& difference : differences) EXPECT_NE(difference.what, "decode");
}

TEST(Where, an_arm_without_a_table_has_no_differences) {
  EXPECT_TRUE(differences_between(arm_with({record(3, 1, milliseconds(0))}), {}).empty());
}

}  // namespace
}  // namespace traceml
