#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_text.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Config spin_config() {
  Config config;
  config.workload.model = kSpinModel;
  config.measure.launches = 10;
  for (const char* name : {"baseline", "candidate"}) {
    config.arms.push_back(make_arm(config, name));
  }
  GateConfig gate;
  gate.candidate = "candidate";
  gate.baseline = "baseline";
  gate.delta = .001;
  config.gates = {gate};
  return config;
}

std::vector<int> order_of(const Plan& plan) {
  std::vector<int> arms;
  for (int block = 0; block < 20; block += 2) {
    arms.push_back(make_block(plan.facts, block, {{0}, {1}}, {0}).front().arm.value);
  }
  return arms;
}

TEST(PlanOfLaunches, runs_all_blocks_of_a_launch_without_a_look) {
  Config config = spin_config();
  config.measure.launch_blocks = 8;
  const CampaignFacts facts = make_plan(config, 1).facts;
  EXPECT_EQ(facts.launches, 10);
  EXPECT_EQ(facts.max_blocks, 8);
  EXPECT_EQ(facts.looks, (std::vector<int>{8}));
}

TEST(PlanOfLaunches, allows_margins_that_one_launch_can_never_pass) {
  Config config = spin_config();
  for (const double delta : {.001, 0.0}) {
    config.gates[0].delta = delta;
    EXPECT_NO_THROW(make_plan(config, 1));
  }
  config.measure.launches = 1;
  EXPECT_THAT([&] { make_plan(config, 1); },
              ThrowsMessage<UsageError>(HasSubstr("launch --launches 6")));
}

TEST(PlanOfLaunches, gives_each_launch_a_seed_and_an_order_of_its_own) {
  Config config = spin_config();
  std::vector<std::vector<int>> orders;
  for (const int launch : {1, 2, 3}) {
    config.measure.launch = launch;
    const Plan plan = make_plan(config, 1);
    EXPECT_EQ(plan.facts.seed, seed_of_launch(config.seed, launch));
    EXPECT_EQ(plan.config.seed, config.seed);
    orders.push_back(order_of(plan));
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
  EXPECT_NE(seed_of_launch(1, 2), seed_of_launch(2, 1));
}

TEST(PlanOfLaunches, refuses_an_odd_number_of_blocks) {
  Config config = spin_config();
  config.measure.launch_blocks = 5;
  EXPECT_THAT([&] { make_plan(config, 1); },
              ThrowsMessage<UsageError>("measure.launch_blocks is 5; an even number balances the "
                                        "order of the arms"));
}

TEST(PlanOfLaunches, refuses_a_launch_that_is_none_of_them) {
  Config config = spin_config();
  config.measure.launch = 11;
  EXPECT_THAT([&] { make_plan(config, 1); },
              ThrowsMessage<UsageError>("measure.launch is 11, and measure.launches is 10"));
  config = spin_config();
  config.gates.clear();
  config.measure.launches = 1;
  config.measure.launch = 1;
  EXPECT_THROW(make_plan(config, 1), UsageError);
}

TEST(PlanOfLaunches, is_printed_with_its_launches_and_their_time) {
  const std::string text = plan_text(make_plan(spin_config(), 1), Millis(5));
  EXPECT_THAT(text, HasSubstr("looks after 6 and 10 launches, where"));
  EXPECT_THAT(text, HasSubstr("one launch, 4 blocks    424 "));
  EXPECT_THAT(text, HasSubstr("first look, 6 launches  2,544 "));
  EXPECT_THAT(text, HasSubstr("last look, 10 launches  4,240  21 s"));
}

}  // namespace
}  // namespace traceml
