#include "harness/codec/raw_plan_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/plan/plan.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;

// Three arms; the third leaves the run at the first look.
CampaignFacts facts_of_three_arms() {
  CampaignFacts facts;
  facts.steps_per_window = 4;
  facts.settle_steps = 2;
  facts.warmup_steps = 3;
  facts.seed = 7;
  facts.max_blocks = 14;
  facts.arms.resize(3);
  facts.arms[0].name = "reference";
  facts.arms[1].name = "shipped";
  facts.arms[2].name = "deeper";
  return facts;
}

StepRecord step_of(ArmIndex arm, std::optional<WindowIndex> window, std::int64_t index,
                   bool timed) {
  StepRecord record;
  record.arm = arm;
  record.window = window;
  record.step = {index};
  record.timed = timed;
  return record;
}

class PlanCheck : public ::testing::Test {
 protected:
  PlanCheck() {
    records_.rank = Rank{1};
    records_.steps.push_back(step_of({0}, std::nullopt, 5, false));  // second round of a warm-up
    WindowIndex next{0};
    for (int block = 0; block < 8; ++block) {
      const std::vector<ArmIndex> arms =
          block < 6 ? std::vector<ArmIndex>{{0}, {1}, {2}} : std::vector<ArmIndex>{{0}, {1}};
      for (const PlannedWindow& planned : make_block(facts_, block, arms, next)) {
        add(planned);
      }
      next.value += static_cast<std::int64_t>(arms.size());
    }
  }

  void add(const PlannedWindow& planned) {
    WindowRecord record;
    record.arm = planned.arm;
    record.block = planned.block;
    record.order = planned.order;
    record.window = planned.index;
    record.steps = 4;
    records_.windows.push_back(record);
    for (int step = 0; step < 6; ++step) {
      records_.steps.push_back(step_of(planned.arm, planned.index, step, step >= 2));
    }
    CollectiveRecord bucket;
    bucket.arm = planned.arm;
    bucket.window = planned.index;
    bucket.step = {5};
    records_.collectives.push_back(bucket);
    bucket.bucket = 1;
    records_.collectives.push_back(bucket);
  }

  std::string sentence() const {
    try {
      check_against_plan(facts_, records_, "run/raw");
    } catch (const RunError& error) {
      return error.what();
    }
    return "";
  }

  const CampaignFacts facts_ = facts_of_three_arms();
  RankRecords records_;
};

TEST_F(PlanCheck, AcceptsWhatThePlanMade) {
  EXPECT_EQ(records_.windows.size(), 22U);
  EXPECT_EQ(sentence(), "");
}

TEST_F(PlanCheck, AcceptsARunThatEndedInsideABlock) {
  records_.steps.clear();
  records_.collectives.clear();
  records_.windows.pop_back();
  EXPECT_EQ(sentence(), "");
  records_.windows.resize(19);  // one window after the look
  EXPECT_EQ(sentence(), "");
  records_.windows.resize(1);
  EXPECT_EQ(sentence(), "");
  records_ = {};
  EXPECT_EQ(sentence(), "");
}

TEST_F(PlanCheck, AcceptsAHole) {
  records_.windows.erase(records_.windows.begin() + 4);
  EXPECT_EQ(sentence(), "");
}

TEST_F(PlanCheck, NamesTheRowAndItsFile) {
  records_.windows[0].order += 1;
  EXPECT_THAT(sentence(), ::testing::MatchesRegex(
                              "run/raw/windows_rank_0001.csv: the row of arm [a-z]+, block 0, "
                              "order 1, window 0 is not in the plan, which has this arm and block "
                              "as order 0, window 0"));
}

TEST_F(PlanCheck, RefusesTwoRowsOfOneWindow) {
  records_.windows.insert(records_.windows.begin() + 3, records_.windows[2]);
  EXPECT_THAT(sentence(), HasSubstr("window 2 stands there twice"));
}

TEST_F(PlanCheck, RefusesWindowsWhoseArmsAreExchanged) {
  std::swap(records_.windows[0].arm, records_.windows[1].arm);
  EXPECT_THAT(sentence(), HasSubstr("is not in the plan"));
}

TEST_F(PlanCheck, RefusesWindowsWhoseBlocksAreExchanged) {
  std::swap(records_.windows[0].block, records_.windows[3].block);
  EXPECT_THAT(sentence(), HasSubstr("is not in the plan"));
}

TEST_F(PlanCheck, RefusesAnotherWindowNumber) {
  records_.windows.back().window.value += 3;
  EXPECT_THAT(sentence(), HasSubstr("is not in the plan"));
  records_.windows.back().window.value = -1;
  EXPECT_THAT(sentence(), HasSubstr("is not in the plan"));
}

TEST_F(PlanCheck, RefusesABlockThatThePlanDoesNotHave) {
  for (const int block : {-1, 14, 2'000'000'000}) {
    records_.windows[0].block = block;
    EXPECT_THAT(sentence(), HasSubstr("is not in the plan, which has blocks 0 to 13"));
  }
}

TEST_F(PlanCheck, RefusesAnotherNumberOfSteps) {
  records_.windows[2].steps = 5;
  EXPECT_THAT(sentence(), HasSubstr("has 5 steps; the plan has 4"));
}

TEST_F(PlanCheck, RefusesAnArmThatCameBack) {
  add({.index = {22}, .arm = {2}, .block = 8, .order = 2});
  EXPECT_THAT(sentence(), HasSubstr("is not in the plan"));
}

TEST_F(PlanCheck, RefusesStepsOfNoWindowOfTheirArm) {
  records_.steps.back().window = WindowIndex{99};
  EXPECT_THAT(sentence(), HasSubstr("run/raw/steps_rank_0001.csv: the row of arm "));
  EXPECT_THAT(sentence(), HasSubstr("window 99, step 5 is not in the plan"));
  records_.steps.back().window = WindowIndex{0};
  records_.steps.back().arm = {(records_.windows[0].arm.value + 1) % 3};
  EXPECT_THAT(sentence(), HasSubstr("window 0, step 5 is not in the plan"));
}

TEST_F(PlanCheck, RefusesStepsOutsideTheirWindow) {
  for (const std::int64_t step : {std::int64_t{-1}, std::int64_t{6}}) {
    records_.steps.back().step = {step};
    EXPECT_THAT(sentence(), HasSubstr("is not in the plan"));
  }
}

TEST_F(PlanCheck, RefusesSettleStepsThatCountAndWarmUpThatDoes) {
  records_.steps[1].timed = true;
  EXPECT_THAT(sentence(), HasSubstr("has timed 1; the plan has 0"));
  records_.steps[1].timed = false;
  records_.steps[0].timed = true;
  EXPECT_THAT(sentence(), HasSubstr("warm-up, step 5 has timed 1; the plan has 0"));
}

TEST_F(PlanCheck, RefusesTwoRowsOfOneStep) {
  records_.steps.push_back(records_.steps[4]);
  EXPECT_THAT(sentence(), HasSubstr("steps_rank_0001.csv"));
  EXPECT_THAT(sentence(), HasSubstr("step 3 stands there twice"));
}

TEST_F(PlanCheck, RefusesAllReducesThatThePlanDoesNotHave) {
  records_.collectives[0].window = WindowIndex{1};
  EXPECT_THAT(sentence(), HasSubstr("run/raw/collectives_rank_0001.csv"));
  records_.collectives[0].window = WindowIndex{0};
  EXPECT_EQ(sentence(), "");
  records_.collectives[0].bucket = 1;
  EXPECT_THAT(sentence(), HasSubstr("step 5 stands there twice"));
}

}  // namespace
}  // namespace traceml::testing
