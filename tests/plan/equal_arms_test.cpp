#include "harness/plan/equal_arms.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// shipped and deeper beside an input-free reference; a gate on each.
Config config_of_three() {
  Config config;
  config.workload.model = kSpinModel;
  for (const char* name : {"reference", "shipped", "deeper"}) {
    config.arms.push_back(make_arm(config, name));
  }
  config.arms[0].input.source = Source::kSynthetic;
  config.arms[2].input.prefetch = 7;
  for (const auto& [candidate, delta] : {std::pair("shipped", .04), std::pair("deeper", .03)}) {
    GateConfig gate;
    gate.candidate = candidate;
    gate.baseline = "reference";
    gate.delta = delta;
    config.gates.push_back(gate);
  }
  return config;
}

std::vector<std::string> names_in(const Plan& plan) {
  std::vector<std::string> names;
  for (const ArmFacts& arm : plan.facts.arms) names.push_back(arm.name);
  return names;
}

TEST(EqualArms, take_the_place_of_all_arms_and_gates) {
  Config config = config_of_three();
  config.measure.equal_arms = "deeper";
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(names_in(plan), ElementsAre("deeper", "deeper-again"));
  EXPECT_EQ(plan.config.arms[1].input.prefetch, 7);
  ASSERT_EQ(plan.facts.gates.size(), 1u);
  EXPECT_EQ(plan.facts.gates[0].name, "deeper-again against deeper");
  EXPECT_EQ(plan.facts.gates[0].delta, .03);
  EXPECT_EQ(plan.facts.arms[0].settings, plan.facts.arms[1].settings);
}

TEST(EqualArms, stand_beside_planted_ones) {
  Config config = config_of_three();
  config.measure.equal_arms = "shipped";
  config.measure.equal_plants = {.03, .025};
  Plant stall;
  stall.kind = PlantKind::kUntracked;
  stall.time = Millis{1};
  config.arms[2].plants = {stall};
  config.arms[2].overridden.insert("plant");
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(names_in(plan), ElementsAre("shipped", "shipped-again", "shipped-plus-3",
                                          "shipped-plus-2.5", "deeper"));
  EXPECT_EQ(plan.config.arms[3].plants.at(0).fraction, .025);
  ASSERT_EQ(plan.facts.gates.size(), 4u);
  for (const GateSpec& gate : plan.facts.gates) {
    EXPECT_EQ(gate.baseline, ArmIndex{0});
    EXPECT_EQ(gate.delta, .04);
  }
}

TEST(EqualArms, are_the_same_when_their_plan_is_planned_again) {
  Config config = config_of_three();
  config.measure.equal_arms = "shipped";
  config.measure.equal_plants = {.05};
  const Plan once = make_plan(config, 2);
  EXPECT_EQ(make_plan(once.config, 2).config, once.config);
}

TEST(EqualArms, may_be_judged_by_a_margin_that_one_launch_cannot_pass) {
  Config config = config_of_three();
  config.gates[0].delta = .001;
  EXPECT_THAT([&] { make_plan(config, 2); },
              ThrowsMessage<UsageError>(HasSubstr("name its noise profile")));
  config.measure.equal_arms = "shipped";
  EXPECT_EQ(make_plan(config, 2).facts.gates[0].delta, .001);
}

TEST(EqualArms, are_of_an_arm_that_is_there) {
  Config config = config_of_three();
  config.measure.equal_arms = "shiped";
  EXPECT_THAT(
      [&] { make_plan(config, 2); },
      ThrowsMessage<UsageError>(HasSubstr("no arm is called 'shiped'; did you mean 'shipped'?")));
}

TEST(EqualArms, are_of_what_the_first_gate_judges_where_nobody_says) {
  Config config = config_of_three();
  EXPECT_EQ(arm_to_check(config), "shipped");
  config.gates.erase(config.gates.begin());
  EXPECT_EQ(arm_to_check(config), "deeper");
  config.gates.clear();
  EXPECT_EQ(arm_to_check(config), "shipped");  // the first with input
  EXPECT_EQ(arm_to_check(Config{}), "shipped");
}

TEST(NoiseProfile, takes_the_place_of_the_usual_allowance_in_the_plan) {
  Config config = config_of_three();
  EXPECT_EQ(make_plan(config, 2).facts.interaction_sd, .003);
  config.gates[0].delta = .005;
  config.measure.noise_profile = "noise_profile.json";
  config.measure.interaction_sd = .001;
  const CampaignFacts facts = make_plan(config, 2).facts;
  EXPECT_EQ(facts.interaction_sd, .001);
  EXPECT_EQ(facts.noise_profile, "noise_profile.json");
}

}  // namespace
}  // namespace traceml
