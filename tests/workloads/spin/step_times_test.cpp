#include "workloads/spin/step_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "tests/workloads/spin/spin_plan.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::place_in;
using testing::spin_plan;

double ms(Nanos time) {
  return Millis(time).count();
}

TEST(StepTimes, without_noise_are_the_written_ones) {
  const StepTimeTable table(spin_plan(2, "[]"));
  const StepTimes times = table.times(Rank{1}, place_in(0, 0, 3));
  EXPECT_EQ(times.phases[index_of(Phase::kInputWait)], 200us);
  EXPECT_EQ(times.phases[index_of(Phase::kH2d)], 100us);
  EXPECT_EQ(times.phases[index_of(Phase::kForward)], 1500us);
  EXPECT_EQ(times.phases[index_of(Phase::kBackward)], 2500us);
  EXPECT_EQ(times.phases[index_of(Phase::kOptimizer)], 500us);
  EXPECT_EQ(times.all_reduce, 400us);
  EXPECT_EQ(times.before_meeting(), 4300us);
  EXPECT_EQ(times.after_meeting(), 500us);
  EXPECT_THAT(table.phases_before_meeting(ArmIndex{0}),
              ElementsAre(Phase::kInputWait, Phase::kH2d, Phase::kForward, Phase::kBackward));
}

TEST(StepTimes, hold_what_is_planted) {
  const StepTimeTable table(spin_plan(2,
                                      "[{slowdown: 10%}, {stall: {every: 8, ms: 20, phase: h2d}}, "
                                      "{delay: {rank: 1, ms: 3}}, {untracked: {ms: 1}}]"));
  const StepTimes times = table.times(Rank{1}, place_in(1, 0, 7));
  EXPECT_EQ(times.phases[index_of(Phase::kForward)], 1650us);
  EXPECT_EQ(times.phases[index_of(Phase::kBackward)], 2750us);
  EXPECT_EQ(times.phases[index_of(Phase::kH2d)], 20100us);
  EXPECT_EQ(times.delay, 3ms);
  EXPECT_EQ(times.before_meeting(), 200us + 20100us + 1650us + 2750us + 3ms);
  EXPECT_EQ(times.after_meeting(), 1500us);
  EXPECT_EQ(table.times(Rank{0}, place_in(1, 0, 7)).delay, 0ms);
  EXPECT_EQ(table.times(Rank{1}, place_in(0, 0, 7)).before_meeting(), 4300us) << "the plain arm";
}

TEST(StepTimes, of_an_input_free_arm_have_no_input_wait) {
  const StepTimeTable table(spin_plan(1, "[]", {{"input.source", "synthetic"}}));
  EXPECT_EQ(table.times(Rank{0}, place_in(0, 0, 0)).phases[index_of(Phase::kInputWait)], 0us);
}

TEST(StepTimes, drift_stretches_the_all_reduce_too) {
  const StepTimeTable table(spin_plan(1, "[{drift: 12%}]"));
  const StepTimes times = table.times(Rank{0}, place_in(1, 6, 0));  // half way
  EXPECT_EQ(times.all_reduce, 424us);
  EXPECT_EQ(times.phases[index_of(Phase::kOptimizer)], 530us);
}

// A launch has one factor for each arm, and another launch (another seed) another one.
TEST(StepTimes, a_launch_effect_is_one_draw_for_each_arm_and_launch) {
  constexpr int kLaunches = 2000;
  double sum = 0, squares = 0;
  for (int launch = 1; launch <= kLaunches; ++launch) {
    Plan plan = spin_plan(1, "[{launch_effect: 2%}]");
    plan.facts.seed = seed_of_launch(7, launch);
    const StepTimeTable table(plan);
    const StepTimes times = table.times(Rank{0}, place_in(1, 0, 0));
    const double factor = ms(times.all_reduce) / 0.4;
    sum += factor - 1;
    squares += (factor - 1) * (factor - 1);
    EXPECT_EQ(table.times(Rank{0}, place_in(1, 5, 3)).all_reduce, times.all_reduce);
    EXPECT_NEAR(ms(times.phases[index_of(Phase::kForward)]) / 1.5, factor, 1e-5);
    EXPECT_EQ(table.times(Rank{0}, place_in(0, 0, 0)).all_reduce, 400us) << "the plain arm";
  }
  EXPECT_NEAR(sum / kLaunches, 0, 5 * 0.02 / std::sqrt(kLaunches));
  EXPECT_NEAR(std::sqrt(squares / kLaunches), 0.02, 5 * 0.02 / std::sqrt(2 * kLaunches));
}

// Sums over many draws; the bounds are five standard errors of a normal law.
TEST(StepTimes, noise_has_the_written_spread) {
  const StepTimeTable table(spin_plan(1, "[]", {{"workload.noise", "2%"}}));
  constexpr int kWindows = 2000;
  constexpr int kSteps = 16;
  double window_sum = 0, window_squares = 0, step_squares = 0;
  for (int window = 0; window < kWindows; ++window) {
    const double factor = ms(table.times(Rank{0}, place_in(0, window, 0)).all_reduce) / 0.4;
    window_sum += factor - 1;
    window_squares += (factor - 1) * (factor - 1);
    for (int step = 0; step < kSteps; ++step) {
      const StepTimes times = table.times(Rank{0}, place_in(0, window, step));
      const double own = ms(times.phases[index_of(Phase::kForward)]) / 1.5 / factor - 1;
      step_squares += own * own;
    }
  }
  EXPECT_NEAR(window_sum / kWindows, 0, 5 * 0.02 / std::sqrt(kWindows));
  EXPECT_NEAR(std::sqrt(window_squares / kWindows), 0.02, 5 * 0.02 / std::sqrt(2 * kWindows));
  EXPECT_NEAR(std::sqrt(step_squares / kWindows / kSteps), 0.02,
              5 * 0.02 / std::sqrt(2 * kWindows * kSteps));
}

TEST(StepTimes, noise_of_a_window_is_common_to_the_ranks_and_that_of_a_step_is_not) {
  const StepTimeTable table(spin_plan(2, "[]", {{"workload.noise", "2%"}}));
  const StepTimes one = table.times(Rank{0}, place_in(0, 4, 3));
  const StepTimes other = table.times(Rank{1}, place_in(0, 4, 3));
  EXPECT_EQ(one.all_reduce, other.all_reduce);
  EXPECT_NE(one.phases, other.phases);
  EXPECT_NE(one.phases, table.times(Rank{0}, place_in(0, 4, 4)).phases);
  EXPECT_NE(one.all_reduce, table.times(Rank{0}, place_in(0, 5, 3)).all_reduce);
}

TEST(StepTimes, depend_on_the_seed_alone) {
  const auto first = [](const std::string& seed) {
    const StepTimeTable table(spin_plan(2, "[]", {{"workload.noise", "2%"}, {"seed", seed}}));
    return table.times(Rank{1}, place_in(1, 9, 2)).phases;
  };
  EXPECT_EQ(first("5"), first("5"));
  EXPECT_NE(first("5"), first("6"));
}

}  // namespace
}  // namespace traceml
