#include "harness/runner/command_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"
#include "tests/codec/temporary_folder.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Plan plan_of_two(int max_blocks = 20) {
  Config config;
  config.measure.max_blocks = max_blocks;
  config.command.words = {"true"};
  config.command.regex = "(1)";
  for (const char* name : {"old", "new"}) config.arms.push_back(make_arm(config, name));
  GateConfig gate;
  gate.candidate = "new";
  gate.baseline = "old";
  gate.delta = 0.02;
  config.gates.push_back(gate);
  return make_plan(config, 1);
}

// Launches nothing: what a launch leaves is asked of `answer`.
class FakeLauncher final : public Launcher {
 public:
  using Answer = std::function<void(LaunchOutcome&)>;
  explicit FakeLauncher(Answer answer) : answer_(std::move(answer)) {}

  LaunchOutcome launch(const LaunchPlace& place) override {
    places.push_back(place);
    LaunchOutcome outcome;
    outcome.record.launch = place.launch;
    outcome.record.arm = place.arm;
    outcome.record.block = place.block;
    outcome.record.order = place.order;
    outcome.record.value = place.arm.value == 0 ? 10 : 10.01;
    outcome.record.unit = "ms";
    outcome.log_place = "launches/" + std::to_string(place.launch);
    answer_(outcome);
    return outcome;
  }

  std::vector<LaunchPlace> places;

 private:
  Answer answer_;
};

void fail(LaunchOutcome& outcome) {
  outcome.record.value = std::nullopt;
  outcome.record.exit_code = 3;
  outcome.record.void_reason = "ended with exit code 3";
}

class CommandCampaign : public ::testing::Test {
 protected:
  CommandOutcome run(const FakeLauncher::Answer& answer, const Plan& plan = plan_of_two()) {
    launcher_ = FakeLauncher(answer);
    file_ = std::make_unique<CommandFile>(folder_.path(), RunId{1},
                                          std::vector<std::string>{"old", "new"});
    const CommandOutcome outcome = run_command_campaign(plan, launcher_, *file_, clock_, nullptr);
    std::vector<std::string> warnings;
    launches_ = read_commands(folder_.path(), RunId{1}, {"old", "new"}, false, &warnings);
    std::filesystem::remove(folder_.path("commands.csv"));
    return outcome;
  }

  // The arms of a block in the order of launching, over all its passes.
  std::vector<int> arms_of(int block) const {
    std::vector<int> arms;
    for (const LaunchPlace& place : launcher_.places) {
      if (place.block == block) arms.push_back(place.arm.value);
    }
    return arms;
  }

  testing::TemporaryFolder folder_;
  ManualClock clock_;
  FakeLauncher launcher_{[](LaunchOutcome&) {}};
  std::unique_ptr<CommandFile> file_;
  std::vector<CommandRecord> launches_;  // as they lie on the disk
};

TEST_F(CommandCampaign, warms_up_each_arm_and_stops_at_the_first_look_with_a_verdict) {
  const CommandOutcome outcome = run([](LaunchOutcome&) {});
  EXPECT_TRUE(outcome.finished) << outcome.failure;
  ASSERT_EQ(launches_.size(), 2u + 6u * 2u);
  EXPECT_FALSE(launches_[1].block);
  EXPECT_EQ(launches_[2].block, 0);
  EXPECT_EQ(launches_.back().block, 5);
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    EXPECT_EQ(launches_[i].launch, static_cast<std::int64_t>(i));
  }
}

TEST_F(CommandCampaign, runs_pairs_of_blocks_in_opposite_orders) {
  run([](LaunchOutcome&) {});
  for (int block = 0; block < 6; block += 2) {
    std::vector<int> reversed = arms_of(block + 1);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(arms_of(block), reversed);
  }
}

TEST_F(CommandCampaign, without_a_verdict_goes_on_to_the_last_look) {
  const auto noisy = [](LaunchOutcome& outcome) {
    *outcome.record.value *= outcome.record.launch * 7 % 5 > 2 ? 1.3 : 1.0;
  };
  EXPECT_TRUE(run(noisy, plan_of_two(10)).finished);
  EXPECT_EQ(launches_.back().block, 9);
}

TEST_F(CommandCampaign, leaves_out_the_rest_of_a_void_block_and_runs_it_again_at_the_end) {
  const CommandOutcome outcome = run([](LaunchOutcome& done) {
    if (done.record.launch == 4) fail(done);  // the first launch of block 1
  });
  EXPECT_TRUE(outcome.finished) << outcome.failure;
  const std::vector<int> arms = arms_of(1);
  ASSERT_EQ(arms.size(), 3u);
  EXPECT_EQ(arms[0], arms[1]);  // the order of the block stays
  EXPECT_EQ(launches_[5].block, 2);
  EXPECT_EQ(launches_.back().block, 1);
  EXPECT_EQ(launches_.size(), 2u + 6u * 2u + 1u);
}

TEST_F(CommandCampaign, ends_where_more_than_a_fifth_of_the_blocks_are_void) {
  const CommandOutcome outcome = run([](LaunchOutcome& done) {
    if (done.record.block && *done.record.block % 2 == 1) fail(done);
  });
  EXPECT_FALSE(outcome.finished);
  EXPECT_THAT(outcome.failure, StartsWith("launch "));
  EXPECT_THAT(outcome.failure, HasSubstr("block 3) ended with exit code 3; its output is in "
                                         "launches/"));
  EXPECT_THAT(outcome.failure, HasSubstr("2 of 4 blocks are void, more than the 20 %"));
  EXPECT_EQ(outcome.log_of_failure, "launches/" + std::to_string(launches_.back().launch));
}

TEST_F(CommandCampaign, takes_one_void_block_before_the_first_look_and_five_before_the_last) {
  std::set<int> failed;
  const auto fails_now_and_then = [&](LaunchOutcome& done) {
    *done.record.value *= done.record.launch * 7 % 5 > 2 ? 1.3 : 1.0;
    const int block = done.record.block.value_or(-1);
    const bool in_turn = block == 0 || block == 7 || block == 11 || block == 15 || block == 16;
    if (in_turn && done.record.order == 1 && failed.insert(block).second) fail(done);
  };
  const CommandOutcome outcome = run(fails_now_and_then);
  EXPECT_TRUE(outcome.finished) << outcome.failure;
  EXPECT_EQ(failed.size(), 5u);
  EXPECT_EQ(launches_.size(), 2u + (20u + 5u) * 2u);
}

TEST_F(CommandCampaign, ends_at_a_warm_up_launch_that_fails) {
  const CommandOutcome outcome = run(fail);
  EXPECT_FALSE(outcome.finished);
  EXPECT_EQ(outcome.failure,
            "launch 0 (old, warm-up) ended with exit code 3; its output is in launches/0");
  EXPECT_EQ(launches_.size(), 1u);
}

TEST_F(CommandCampaign, ends_when_it_is_asked_to_stop_and_keeps_what_it_has) {
  const CommandOutcome outcome = run([](LaunchOutcome& done) {
    if (done.record.launch != 5) return;
    fail(done);
    done.record.void_reason = "was stopped by signal 15 (SIGTERM)";
    done.stopped = true;
  });
  EXPECT_FALSE(outcome.finished);
  EXPECT_THAT(outcome.failure, HasSubstr("was stopped by signal 15 (SIGTERM)"));
  EXPECT_FALSE(outcome.log_of_failure);
  EXPECT_EQ(launches_.size(), 6u);
}

// To replace it would leave out a launch for its time.
TEST_F(CommandCampaign, ends_at_a_launch_that_outlasts_its_limit) {
  Plan plan = plan_of_two();
  plan.config.measure.launch_timeout = Seconds(90);
  for (const std::int64_t late : {1, 5}) {
    const CommandOutcome outcome = run(
        [&](LaunchOutcome& done) {
          if (done.record.launch != late) return;
          fail(done);
          done.record.timed_out = true;
        },
        plan);
    EXPECT_FALSE(outcome.finished);
    EXPECT_EQ(launches_.size(), static_cast<std::size_t>(late) + 1);
    const std::string who = late == 1 ? "launch 1 (new, warm-up)" : "launch 5 (";
    EXPECT_THAT(outcome.failure, StartsWith(who));
    EXPECT_THAT(outcome.failure, HasSubstr("took longer than its 90 s (measure.launch_timeout)"));
    EXPECT_THAT(outcome.failure, HasSubstr("finished launches are kept"));
    EXPECT_EQ(outcome.log_of_failure, "launches/" + std::to_string(late));
  }
}

TEST_F(CommandCampaign, keeps_a_launch_whose_number_is_none_and_stops_at_the_look_that_it_spoils) {
  for (const double value : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    const CommandOutcome outcome = run([&](LaunchOutcome& done) {
      if (done.record.launch == 7) done.record.value = value;
    });
    EXPECT_TRUE(outcome.finished) << outcome.failure;
    EXPECT_EQ(launches_.size(), 2u + 6u * 2u) << value;
  }
}

TEST_F(CommandCampaign, ends_at_the_time_limit_after_a_block) {
  Plan plan = plan_of_two();
  plan.config.measure.time_limit = Seconds(100);
  const CommandOutcome outcome =
      run([&](LaunchOutcome&) { clock_.advance(std::chrono::seconds(20)); }, plan);
  EXPECT_FALSE(outcome.finished);
  EXPECT_EQ(outcome.failure,
            "the time limit of 100 s (measure.time_limit) was reached after 2 of at most 20 "
            "blocks; finished launches are kept");
}

TEST_F(CommandCampaign, takes_the_verdict_of_a_look_that_the_time_limit_meets) {
  Plan plan = plan_of_two();
  plan.config.measure.time_limit = Seconds(14 * 20);
  EXPECT_TRUE(
      run([&](LaunchOutcome&) { clock_.advance(std::chrono::seconds(20)); }, plan).finished);
}

}  // namespace
}  // namespace traceml
