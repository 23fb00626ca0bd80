#include "workloads/spin/plant_rules.h"

#include <gtest/gtest.h>

#include <chrono>

#include "harness/core/error.h"
#include "tests/workloads/spin/spin_plan.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::place_in;
using testing::spin_plan;

Plants plants_of(const std::string& text) {
  return *plants_form().read(text).value;
}

TEST(Slowdown, stretches_forward_and_backward_alone) {
  const Plants plants = plants_of("[{slowdown: 5%}]");
  EXPECT_DOUBLE_EQ(stretch_of(plants, Phase::kForward, 0.5), 1.05);
  EXPECT_DOUBLE_EQ(stretch_of(plants, Phase::kBackward, 0.5), 1.05);
  EXPECT_DOUBLE_EQ(stretch_of(plants, Phase::kOptimizer, 0.5), 1);
  EXPECT_DOUBLE_EQ(stretch_of(plants, Phase::kInputWait, 0.5), 1);
}

TEST(Drift, grows_with_the_run_and_reaches_its_size_at_the_end) {
  const Plants plants = plants_of("[{drift: 6%}]");
  EXPECT_DOUBLE_EQ(drift_of(plants, 0), 1);
  EXPECT_DOUBLE_EQ(drift_of(plants, 0.5), 1.03);
  EXPECT_DOUBLE_EQ(drift_of(plants, 1), 1.06);
  const Plan plan = spin_plan(1, "[]");  // 12 windows of 24 steps
  EXPECT_DOUBLE_EQ(progress_of(plan.facts, place_in(0, std::nullopt, 5)), 0);
  EXPECT_DOUBLE_EQ(progress_of(plan.facts, place_in(0, 0, 0)), 0);
  EXPECT_DOUBLE_EQ(progress_of(plan.facts, place_in(1, 6, 12)), 6.5 / 12);
}

TEST(Stall, strikes_every_nth_step_in_its_phase) {
  const Plants plants = plants_of("[{stall: {every: 4, ms: 20, phase: input_wait}}]");
  for (const std::int64_t step : {3, 7, 11}) {
    EXPECT_EQ(stall_of(plants, Phase::kInputWait, step), 20ms) << step;
  }
  for (const std::int64_t step : {0, 1, 2, 4, 8}) {
    EXPECT_EQ(stall_of(plants, Phase::kInputWait, step), 0ms) << step;
  }
  EXPECT_EQ(stall_of(plants, Phase::kForward, 3), 0ms);
}

TEST(Delay, strikes_its_rank_alone) {
  const Plants plants = plants_of("[{delay: {rank: 1, ms: 0.5, every: 2}}]");
  EXPECT_EQ(delay_of(plants, Rank{1}, 1), 500us);
  EXPECT_EQ(delay_of(plants, Rank{1}, 2), 0us);
  EXPECT_EQ(delay_of(plants, Rank{0}, 1), 0us);
}

TEST(Fault, strikes_once_in_its_window_on_its_rank) {
  const Plan plan = spin_plan(2, "[{fault: {rank: 1, window: 3, step: 4, how: kill}}]");
  OneTimePlants other(plan.config, Rank{0});
  EXPECT_FALSE(other.fault(place_in(1, 3, 4)));
  OneTimePlants own(plan.config, Rank{1});
  EXPECT_FALSE(own.fault(place_in(1, std::nullopt, 4))) << "warm-up";
  EXPECT_FALSE(own.fault(place_in(1, 2, 4))) << "an earlier window";
  EXPECT_FALSE(own.fault(place_in(0, 3, 4))) << "the arm without plants";
  EXPECT_FALSE(own.fault(place_in(1, 3, 5)));
  const auto due = own.fault(place_in(1, 3, 4));
  ASSERT_TRUE(due);
  EXPECT_EQ(due->how, FaultHow::kKill);
  EXPECT_TRUE(due->before_phases());
  EXPECT_FALSE(own.fault(place_in(1, 3, 4))) << "it has struck";
}

TEST(Fault, of_an_arm_whose_turn_comes_later_strikes_in_its_next_window) {
  const Plan plan = spin_plan(1, "[{fault: {rank: 0, window: 3, step: 4, how: throw}}]");
  OneTimePlants own(plan.config, Rank{0});
  EXPECT_TRUE(own.fault(place_in(1, 5, 4)));
}

TEST(Fault, can_be_planted_in_the_warm_up_and_at_the_all_reduce) {
  const Plan plan =
      spin_plan(1, "[{fault: {rank: 0, window: warmup, step: 2, phase: allreduce, how: exit}}]");
  OneTimePlants own(plan.config, Rank{0});
  EXPECT_FALSE(own.fault(place_in(1, 0, 2)));
  const auto due = own.fault(place_in(1, std::nullopt, 2));
  ASSERT_TRUE(due);
  EXPECT_TRUE(due->at_all_reduce);
  EXPECT_FALSE(due->before_phases());
}

TEST(LostEvent, strikes_once_and_never_in_the_warm_up) {
  const Plan plan = spin_plan(1, "[{lost_event: {rank: 0, step: 17, phase: backward}}]");
  OneTimePlants own(plan.config, Rank{0});
  EXPECT_FALSE(own.lost_event(place_in(1, std::nullopt, 17)));
  EXPECT_EQ(own.lost_event(place_in(1, 2, 17)), Phase::kBackward);
  EXPECT_FALSE(own.lost_event(place_in(1, 3, 17)));
}

TEST(CommittedFault, throws_what_ends_a_run) {
  EXPECT_THROW(commit(FaultHow::kThrow), RunError);
}

TEST(CommittedFault, ends_the_process_as_it_says) {
  EXPECT_EXIT(commit(FaultHow::kExit), ::testing::ExitedWithCode(3), "");
  EXPECT_EXIT(commit(FaultHow::kKill), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EXIT(commit(FaultHow::kSegfault), ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace traceml
