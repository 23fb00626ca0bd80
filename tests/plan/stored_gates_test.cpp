#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/gate_keys.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_text.h"
#include "harness/plan/semantic_keys.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// shipped beside its input-free reference, each against stored campaigns.
Config nightly() {
  Config config;
  config.workload.model = kSpinModel;
  config.measure.launches = 6;
  for (const char* name : {"reference", "shipped"}) config.arms.push_back(make_arm(config, name));
  config.arms[0].input.source = Source::kSynthetic;
  for (const char* name : {"shipped", "reference"}) {
    GateDraft draft;
    draft.compare = name;
    draft.stored = "baselines/food101";
    draft.treatment = {"commit", "driver"};
    config.gates.push_back(finish_gate(draft, "nightly.yaml:9:5"));
  }
  return config;
}

TEST(StoredGates, judge_the_ratio_to_the_reference_where_there_is_one) {
  const CampaignFacts facts = make_plan(nightly(), 2).facts;
  EXPECT_THAT(facts.gates, IsEmpty());
  ASSERT_EQ(facts.stored_gates.size(), 2u);
  const GateSpec& ratio = facts.stored_gates[0];
  EXPECT_EQ(ratio.name, "shipped against baselines/food101");
  EXPECT_TRUE(ratio.judges_ratio_to_reference());
  EXPECT_EQ(ratio.candidate, ArmIndex{1});
  EXPECT_EQ(ratio.baseline, ArmIndex{0});
  EXPECT_EQ(ratio.delta, .02);
  EXPECT_EQ(ratio.stored->reference_delta, .08);
  EXPECT_THAT(ratio.stored->treatment, ElementsAre("commit", "driver"));
  EXPECT_FALSE(facts.stored_gates[1].judges_ratio_to_reference());
}

TEST(StoredGates, take_the_margin_of_the_guard_as_it_is_written) {
  Config config = nightly();
  config.gates[0].reference_margin = .05;
  EXPECT_EQ(make_plan(config, 2).facts.stored_gates[0].stored->reference_delta, .05);
}

TEST(StoredGates, leave_room_for_launches_that_measure_again_where_one_asks_for_it) {
  Config config = nightly();
  config.measure.launch = 7;
  EXPECT_THAT([&] { make_plan(config, 2); },
              ThrowsMessage<UsageError>(HasSubstr("measure.launch is 7")));
  config.gates[0].confirm_on_fail = true;
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.seed, seed_of_launch(config.seed, 7));
  EXPECT_TRUE(confirms_failures(plan.facts));
  EXPECT_THAT(plan_text(plan, std::nullopt), HasSubstr("where a gate fails and is measured again"));
  config.measure.launch = 13;
  EXPECT_THAT([&] { make_plan(config, 2); },
              ThrowsMessage<UsageError>(HasSubstr("measure.launch is 13")));
}

TEST(StoredGates, belong_to_several_launches) {
  Config config = nightly();
  config.measure.launches = 1;
  EXPECT_THAT([&] { make_plan(config, 2); },
              ThrowsMessage<UsageError>(HasSubstr("start it with traceml-bench launch")));
}

TEST(StoredGates, are_told_apart_from_a_gate_against_an_arm_of_that_name) {
  Config config = nightly();
  GateConfig gate;
  gate.candidate = "shipped";
  gate.baseline = "reference";
  config.gates[0].stored = "reference";
  config.gates.push_back(gate);
  const CampaignFacts facts = make_plan(config, 2).facts;
  EXPECT_EQ(facts.gates[0].name, "shipped against reference");
  EXPECT_EQ(facts.stored_gates[0].name, "shipped against reference, stored");
}

TEST(StoredGates, are_in_the_text_of_the_plan) {
  const std::string text = plan_text(make_plan(nightly(), 2), std::nullopt);
  EXPECT_THAT(text, HasSubstr("wall per step over that of reference proven below +2 % of the "
                              "pinned campaigns"));
  EXPECT_THAT(text, HasSubstr("fails, too, where reference itself is proven above +8 %; may "
                              "differ: commit, driver"));
  EXPECT_EQ(text.find("no gates"), std::string::npos);
}

TEST(SemanticKeys, say_what_an_arm_does_and_not_how_fast_it_is) {
  Config config = nightly();
  config.workload.noise = .01;
  config.workload.phases_ms[0] = 3;
  config.workload.device = Device::kCpu;
  const auto settings = semantic_settings(config, make_arm(config, "shipped"));
  EXPECT_EQ(settings.at("input.workers"), "4");
  EXPECT_EQ(settings.at("workload.clock"), "real");
  EXPECT_EQ(settings.at("measure.instrument"), "events");
  EXPECT_EQ(settings.at("workload.precision"), "fp32");
  for (const char* key : {"workload.noise", "workload.phases_ms.input_wait", "workload.device",
                          "plant", "seed", "measure.steps"}) {
    EXPECT_FALSE(settings.contains(key)) << key;
  }
}

TEST(SemanticKeys, that_are_younger_than_a_campaign_had_their_defaults) {
  std::map<std::string, std::string> settings = {{"input.workers", "8"}, {"input.old", "1"}};
  add_younger_keys(&settings);
  EXPECT_EQ(settings.at("input.workers"), "8");
  EXPECT_EQ(settings.at("input.prefetch"), "2");
  EXPECT_EQ(settings.at("input.old"), "1");
}

}  // namespace
}  // namespace traceml
