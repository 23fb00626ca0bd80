// How the settings of a sweep become arms, and what they cost.

#include "harness/plan/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A grid as the reader makes it.
Config swept(const std::vector<std::pair<std::string, std::vector<std::string>>>& over) {
  Config config;
  config.input.dataset = "images";
  config.workload.batch_size = 16;
  config.workload.image_size = 64;
  config.arms = {make_arm(config, "shipped")};
  SweepConfig& sweep = config.sweep;
  sweep.arm = "shipped";
  std::vector<std::vector<std::string>> texts = {{}};
  std::vector<std::vector<std::string>> values;
  for (const auto& [key, own] : over) {
    sweep.keys.push_back(key);
    values.push_back(own);
    std::vector<std::vector<std::string>> longer;
    for (const auto& setting : texts) {
      for (const std::string& value : own) {
        longer.push_back(setting);
        longer.back().push_back(value);
      }
    }
    texts = longer;
  }
  for (const auto& setting : texts) {
    ArmConfig arm = config.arms[0];
    arm.of_sweep = true;
    arm.name = name_of_setting("shipped", sweep.keys, setting, values);
    for (std::size_t i = 0; i < setting.size(); ++i) {
      set_in_arm(config, &arm, *find_config_key(sweep.keys[i]), setting[i]);
    }
    sweep.settings.push_back(arm);
  }
  return config;
}

std::vector<std::string> names_of(const Plan& plan) {
  return arm_names(plan.facts);
}

std::string sentence_of(const Config& config) {
  try {
    make_plan(config, 2);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SweepPlan, makes_an_arm_of_each_setting_with_one_reference_for_each_kind_of_batch) {
  const Plan plan =
      make_plan(swept({{"input.workers", {"1", "2"}}, {"input.dtype", {"float32", "uint8"}}}), 2);
  EXPECT_THAT(names_of(plan),
              ElementsAre("shipped[workers=1,dtype=float32]", "shipped[workers=1,dtype=uint8]",
                          "shipped[workers=2,dtype=float32]", "shipped[workers=2,dtype=uint8]",
                          "reference[dtype=float32]", "reference[dtype=uint8]"));
  const auto& arms = plan.facts.arms;
  EXPECT_EQ(arms[0].reference, ArmIndex{4});
  EXPECT_EQ(arms[1].reference, ArmIndex{5});
  EXPECT_EQ(arms[2].reference, ArmIndex{4});
  EXPECT_TRUE(arms[4].input_free);
  EXPECT_EQ(plan.facts.sweep->common_reference, ArmIndex{4});
  EXPECT_FALSE(arms[0].hidden);
}

TEST(SweepPlan, takes_the_references_that_are_written) {
  Config config = swept({{"input.workers", {"1", "2"}}});
  config.arms.insert(config.arms.begin(), make_arm(config, "bare"));
  set_in_arm(config, &config.arms[0], *find_config_key("input.source"), "synthetic");
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(names_of(plan), ElementsAre("bare", "shipped[workers=1]", "shipped[workers=2]"));
  EXPECT_EQ(plan.facts.sweep->common_reference, ArmIndex{0});
}

TEST(SweepPlan, gives_a_reference_a_name_that_no_arm_has) {
  Config config = swept({{"input.workers", {"1", "2"}}});
  config.arms.push_back(make_arm(config, "reference"));  // it reads files
  EXPECT_THAT(names_of(make_plan(config, 2)),
              ElementsAre("reference", "shipped[workers=1]", "shipped[workers=2]",
                          "reference[shipped[workers=1]]"));
}

TEST(SweepPlan, runs_the_swept_arm_itself_only_where_a_gate_names_it) {
  Config config = swept({{"input.workers", {"1", "2"}}});
  config.arms.push_back(make_arm(config, "other"));
  EXPECT_THAT(names_of(make_plan(config, 2)),
              ElementsAre("other", "shipped[workers=1]", "shipped[workers=2]", "reference"));
  GateConfig gate;
  gate.candidate = "other";
  gate.baseline = "shipped";
  config.gates = {gate};
  EXPECT_THAT(names_of(make_plan(config, 2)), ElementsAre("shipped", "other", "shipped[workers=1]",
                                                          "shipped[workers=2]", "reference"));
}

TEST(SweepPlan, can_be_made_again_of_its_own_config) {
  Config config = swept({{"input.workers", {"1", "2"}}});
  config.arms.insert(config.arms.begin(), make_arm(config, "other"));
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(written_arms(plan.config), config.arms);
  const Plan again = make_plan(plan.config, 2);
  EXPECT_EQ(names_of(again), names_of(plan));
  EXPECT_EQ(again.config.sweep, plan.config.sweep);
}

TEST(SweepPlan, spin_s_own_wait_makes_no_other_kind_of_batch) {
  Config config;
  config.workload.model = kSpinModel;
  config.arms = {make_arm(config, "a"), make_arm(config, "reference")};
  set_in_arm(config, &config.arms[0], *find_config_key("workload.phases_ms.input_wait"), "3");
  set_in_arm(config, &config.arms[0], *find_config_key("workload.loader_ms.decode"), "3");
  EXPECT_TRUE(mismatches(config, config.arms[0], config.arms[1]).empty());
  set_in_arm(config, &config.arms[0], *find_config_key("workload.phases_ms.forward"), "3");
  EXPECT_EQ(mismatches(config, config.arms[0], config.arms[1]).size(), 1u);
}

TEST(SweepNames, hold_plain_values_and_number_the_others) {
  EXPECT_EQ(name_of_setting("a", {"input.workers", "input.dtype"}, {"2", "uint8"}, {{}, {}}),
            "a[workers=2,dtype=uint8]");
  EXPECT_EQ(name_of_setting("a", {"input.dataset"}, {"data/large"}, {{"small", "data/large"}}),
            "a[dataset=#2]");
  EXPECT_EQ(name_of_setting("a", {"x.lr", "y.lr"}, {"1", "2"}, {{}, {}}), "a[x.lr=1,y.lr=2]");
}

TEST(SweepCost, is_threads_then_memory_then_order) {
  const Plan plan =
      make_plan(swept({{"input.workers", {"2", "1"}}, {"input.prefetch", {"8", "2"}}}), 2);
  std::vector<int> ranks;
  for (const SweepSetting& setting : plan.facts.sweep->settings) ranks.push_back(setting.cost_rank);
  EXPECT_THAT(ranks, ElementsAre(3, 2, 1, 0));
  const auto& first = plan.facts.sweep->settings.front();
  EXPECT_EQ(first.loader_threads, 2);
  EXPECT_EQ(first.loader_bytes, (8 + 2) * 16 * 64 * 64 * 3);
  const Plan others = make_plan(swept({{"input.on_error", {"stop", "replace"}}}), 2);
  EXPECT_EQ(others.facts.sweep->settings[0].cost_rank, 0);
  EXPECT_EQ(others.facts.sweep->settings[1].cost_rank, 1);
}

TEST(SweepCost, counts_memory_by_dtype) {
  const Plan plan = make_plan(swept({{"input.dtype", {"float32", "uint8"}}}), 2);
  EXPECT_EQ(plan.facts.sweep->settings[0].cost_rank, 1);  // four times the bytes
}

TEST(SweepPlan, refuses_what_no_run_can_answer) {
  Config config = swept({{"input.workers", {"1", "2"}}});
  config.sweep.margin = .005;
  EXPECT_THAT(sentence_of(config), HasSubstr("cannot tell 2 settings apart to 0.5 %"));
  config.sweep.margin = .01;
  EXPECT_EQ(sentence_of(config), "accepted");
  config.measure.max_blocks = 6;
  EXPECT_THAT(sentence_of(config), HasSubstr("a sweep needs 10: 4 blocks choose"));
  config.measure.max_blocks = 10;
  config.measure.launches = 6;
  EXPECT_THAT(sentence_of(config), HasSubstr("leave measure.launches out"));
}

TEST(SweepPlan, asks_for_a_wider_margin_the_more_settings_there_are) {
  std::vector<std::string> many;
  for (int i = 1; i <= 40; ++i) many.push_back(std::to_string(i));
  EXPECT_THAT(sentence_of(swept({{"input.workers", many}})),
              HasSubstr("widen the margin above 1.1 %"));
}

TEST(SweepPlan, counts_references_among_the_arms_that_a_launch_can_hold) {
  std::vector<std::string> many;
  for (int i = 1; i <= 32; ++i) many.push_back(std::to_string(i));
  Config config = swept({{"input.workers", many}, {"input.dtype", {"float32", "uint8"}}});
  config.sweep.margin = .02;
  EXPECT_THAT(sentence_of(config), HasSubstr("the sweep makes 66 arms of the config"));
}

}  // namespace
}  // namespace traceml
