#include "harness/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/command_keys.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/gates.h"

namespace traceml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ArmConfig arm_with(const Config& config, const std::string& name,
                   const std::vector<std::pair<std::string, std::string>>& settings) {
  ArmConfig arm = make_arm(config, name);
  for (const auto& [path, text] : settings) {
    const auto fault = set_in_arm(config, &arm, *find_config_key(path), text);
    EXPECT_EQ(fault.value_or(""), "");
  }
  return arm;
}

// "reference" and "shipped" over one data set.
Config two_arms() {
  Config config;
  config.input.dataset = "images";
  config.arms = {arm_with(config, "reference", {{"input.source", "synthetic"}}),
                 arm_with(config, "shipped", {})};
  return config;
}

GateConfig overhead_gate(Instrument mode, double delta) {
  GateConfig gate;
  gate.kind = GateKind::kMaxOverhead;
  gate.candidate = "shipped";
  gate.overhead_of = mode;
  gate.delta = delta;
  return gate;
}

GateConfig fraction_gate(const std::string& candidate, const std::string& baseline, double f) {
  GateConfig gate;
  gate.kind = GateKind::kMinFraction;
  gate.candidate = candidate;
  gate.baseline = baseline;
  gate.min_fraction = f;
  gate.delta = 1 / f - 1;
  return gate;
}

GateConfig regression_gate(const std::string& candidate, const std::string& baseline,
                           double delta) {
  GateConfig gate;
  gate.candidate = candidate;
  gate.baseline = baseline;
  gate.delta = delta;
  return gate;
}

std::string refusal_of(const Config& config) {
  try {
    make_plan(config, 2);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const ArmFacts& arm : plan.facts.arms) names.push_back(arm.name);
  return names;
}

// Two arms that stall every 2 and every 3 steps.
Config per_batch_arms() {
  Config config = two_arms();
  config.arms.push_back(arm_with(config, "deeper", {}));
  for (std::size_t i = 1; i < 3; ++i) {
    config.arms[i].input.scheduling = Scheduling::kPerBatch;
    config.arms[i].input.workers = static_cast<int>(i) + 1;
    config.arms[i].input.prefetch = 1;
  }
  return config;
}

TEST(Steps, are_48_by_default_with_per_sample_scheduling) {
  const Plan plan = make_plan(two_arms(), 2);
  EXPECT_EQ(plan.facts.period, 1);
  EXPECT_EQ(plan.facts.steps_per_window, 48);
  EXPECT_EQ(plan.facts.warmup_steps, 16);
  EXPECT_EQ(plan.facts.settle_steps, 2);  // the queue of prefetch: 2
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(Steps, are_whole_periods_of_all_per_batch_arms) {
  const Plan plan = make_plan(per_batch_arms(), 2);
  EXPECT_EQ(plan.facts.arms[0].period, 1);
  EXPECT_EQ(plan.facts.arms[1].period, 2);
  EXPECT_EQ(plan.facts.arms[2].period, 3);
  EXPECT_EQ(plan.facts.period, 6);
  EXPECT_EQ(plan.facts.steps_per_window, 48);
  EXPECT_EQ(plan.facts.warmup_steps, 18);
  EXPECT_EQ(plan.facts.settle_steps, 6);
}

TEST(Steps, round_48_up_to_a_period_that_does_not_divide_it) {
  Config config = two_arms();
  config.measure.period = 7;
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.steps_per_window, 49);
  EXPECT_EQ(plan.facts.warmup_steps, 21);
  EXPECT_EQ(plan.facts.settle_steps, 7);
}

TEST(Steps, written_are_rounded_up_to_an_automatic_period_with_a_note) {
  Config config = per_batch_arms();
  config.measure.steps = 50;
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.steps_per_window, 54);
  EXPECT_THAT(plan.notes, ElementsAre("measure.steps rounded up from 50 to 54, a multiple of the "
                                      "stall period 6."));
}

TEST(Steps, written_must_be_a_multiple_of_a_written_period) {
  Config config = two_arms();
  config.measure.period = 8;
  for (const int wrong : {12, 20}) {
    config.measure.steps = wrong;
    EXPECT_THAT(refusal_of(config), HasSubstr("no multiple of measure.period 8"));
  }
  config.measure.steps = 16;
  EXPECT_EQ(make_plan(config, 2).facts.steps_per_window, 16);
}

TEST(Steps, leave_the_device_marks_less_time_than_the_watchdog_leaves_a_step) {
  Config config = two_arms();
  config.measure.step_timeout = Seconds(2);
  config.measure.device_drain = Millis(1999);
  EXPECT_NO_THROW(make_plan(config, 1));
  config.measure.device_drain = Millis(2000);
  EXPECT_THROW(make_plan(config, 1), UsageError);
}

TEST(Steps, are_at_least_8_and_two_periods) {
  Config config = two_arms();
  config.measure.steps = 7;
  EXPECT_THAT(refusal_of(config), HasSubstr("at least 8 steps"));
  config.measure.steps = 8;
  EXPECT_EQ(make_plan(config, 2).facts.steps_per_window, 8);
  config.measure.period = 8;
  EXPECT_THAT(refusal_of(config), HasSubstr("at least 16 steps"));
  config.measure.period = 10;
  config.measure.steps = 10;
  EXPECT_THAT(refusal_of(config), HasSubstr("at least 20 steps"));
}

TEST(Steps, settle_for_one_period_where_no_loader_reads_ahead) {
  Config config;
  config.input.source = Source::kSynthetic;
  EXPECT_EQ(make_plan(config, 2).facts.settle_steps, 1);
  config.measure.period = 5;
  EXPECT_EQ(make_plan(config, 2).facts.settle_steps, 5);
}

TEST(Steps, cover_twice_the_queue_by_default_and_warn_where_written_ones_do_not) {
  Config config = two_arms();
  config.arms[1].input.prefetch = 40;
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.steps_per_window, 80);
  EXPECT_EQ(plan.facts.settle_steps, 40);
  config.measure.steps = 72;
  const Plan shorter = make_plan(config, 2);
  EXPECT_EQ(shorter.facts.steps_per_window, 72);
  ASSERT_EQ(shorter.notes.size(), 1u);
  EXPECT_THAT(shorter.notes[0], HasSubstr("queue_credit"));
}

TEST(Steps, of_warm_up_may_be_written_and_are_noted_where_few) {
  Config config = two_arms();
  config.measure.warmup_steps = 4;
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.warmup_steps, 4);
  EXPECT_THAT(plan.notes, ElementsAre("a warm-up of 4 steps is shorter than the usual 16."));
}

TEST(Queue, holds_prefetch_batches_for_each_worker_that_makes_whole_batches) {
  Config config = per_batch_arms();
  config.arms[1].input.prefetch = 4;
  config.arms.push_back(arm_with(config, "none", {{"input.workers", "0"}}));
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.arms[0].queue_capacity, 0);  // input-free
  EXPECT_EQ(plan.facts.arms[1].queue_capacity, 8);
  EXPECT_EQ(plan.facts.arms[3].queue_capacity, 0);  // decodes on the training thread
}

TEST(Arms, default_to_the_settings_at_the_top) {
  Config config;
  config.input.dataset = "images";
  config.workload.batch_size = 3;
  const Plan plan = make_plan(config, 4);
  EXPECT_THAT(names_of(plan), ElementsAre("shipped"));
  EXPECT_EQ(plan.facts.arms[0].global_batch, 12);
  EXPECT_FALSE(plan.facts.arms[0].reference);
}

TEST(Arms, may_not_set_what_their_process_shares) {
  Config config = two_arms();
  config.arms[1].overridden.insert("workload.threads");
  EXPECT_THAT(refusal_of(config), HasSubstr("workload.threads is process-wide"));
}

TEST(Arms, are_planned_again_from_their_own_plan_without_more_hidden_ones) {
  Config config = two_arms();
  config.gates = {overhead_gate(Instrument::kEvents, 0.1)};
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(names_of(make_plan(plan.config, 2)), testing::ElementsAreArray(names_of(plan)));
}

TEST(OverheadGate, adds_a_bare_twin_that_users_do_not_see) {
  Config config = two_arms();
  config.gates = {overhead_gate(Instrument::kEvents, 0.1)};
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(names_of(plan), ElementsAre("reference", "shipped", "shipped/none"));
  EXPECT_TRUE(plan.facts.arms[2].hidden);
  EXPECT_EQ(plan.facts.arms[2].instrument, Instrument::kNone);
  EXPECT_EQ(plan.facts.arms[2].queue_capacity, plan.facts.arms[1].queue_capacity);
  ASSERT_EQ(plan.facts.gates.size(), 1u);
  EXPECT_EQ(plan.facts.gates[0].name, "events on shipped");
  EXPECT_EQ(plan.facts.gates[0].candidate, ArmIndex{1});
  EXPECT_EQ(plan.facts.gates[0].baseline, ArmIndex{2});
}

TEST(OverheadGate, adds_an_arm_in_the_judged_mode_where_the_arm_runs_in_another) {
  Config config = two_arms();
  config.gates = {overhead_gate(Instrument::kHost, 0.1), overhead_gate(Instrument::kEvents, 0.1)};
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(names_of(plan), ElementsAre("reference", "shipped", "shipped/host", "shipped/none"));
  EXPECT_EQ(plan.facts.arms[2].instrument, Instrument::kHost);
  EXPECT_EQ(plan.facts.gates[0].candidate, ArmIndex{2});
  EXPECT_EQ(plan.facts.gates[0].baseline, ArmIndex{3});
  EXPECT_EQ(plan.facts.gates[1].candidate, ArmIndex{1});
  EXPECT_EQ(plan.facts.gates[1].baseline, ArmIndex{3});
}

TEST(OverheadGate, of_an_arm_that_is_bare_itself_adds_the_instrumented_twin_only) {
  Config config = two_arms();
  config.arms[1].instrument = Instrument::kNone;
  config.gates = {overhead_gate(Instrument::kEvents, 0.1)};
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(names_of(plan), ElementsAre("reference", "shipped", "shipped/events"));
  EXPECT_EQ(plan.facts.gates[0].candidate, ArmIndex{2});
  EXPECT_EQ(plan.facts.gates[0].baseline, ArmIndex{1});
}

TEST(Reference, is_the_first_input_free_arm_that_matches) {
  Config config = two_arms();
  config.arms.insert(config.arms.begin(),
                     arm_with(config, "float_reference",
                              {{"input.source", "synthetic"}, {"input.dtype", "float32"}}));
  config.arms.push_back(arm_with(config, "wide", {{"input.dtype", "float32"}}));
  config.arms.push_back(arm_with(config, "large", {{"workload.batch_size", "256"}}));
  config.arms.push_back(arm_with(config, "deeper", {{"input.prefetch", "4"}}));
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.arms[2].reference, ArmIndex{1});  // shipped
  EXPECT_EQ(plan.facts.arms[3].reference, ArmIndex{0});  // wide
  EXPECT_FALSE(plan.facts.arms[4].reference);            // large
  EXPECT_EQ(plan.facts.arms[5].reference, ArmIndex{1});  // deeper
  EXPECT_FALSE(plan.facts.arms[0].reference);            // references have none
}

TEST(FractionGate, needs_an_input_free_arm_that_matches) {
  Config config = two_arms();
  config.arms.push_back(arm_with(config, "wide", {{"input.dtype", "float32"}}));
  config.gates = {fraction_gate("shipped", "wide", 0.9)};
  EXPECT_THAT(refusal_of(config), HasSubstr("'wide' reads a data set"));
  config.gates = {fraction_gate("wide", "reference", 0.9)};
  EXPECT_THAT(refusal_of(config), HasSubstr("input.dtype: float32 against uint8"));
  config.gates = {fraction_gate("shipped", "reference", 0.9)};
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.gates[0].name, "shipped against reference");
  EXPECT_EQ(plan.facts.gates[0].candidate, ArmIndex{1});
  EXPECT_EQ(plan.facts.gates[0].baseline, ArmIndex{0});
}

TEST(Margin, that_one_launch_can_never_pass_is_refused) {
  // statistics 2.7: ln(1 + delta) <= z_{1 - alpha/K} * s_int, 2.241403 * 0.003 by default.
  EXPECT_NEAR(least_log_margin(CampaignFacts{}), 2.241403 * 0.003, 1e-8);
  const double least = std::expm1(2.241403 * 0.003);
  Config config = two_arms();
  for (const int max_blocks : {6, 10, 14, 20}) {
    config.measure.max_blocks = max_blocks;
    config.gates = {regression_gate("shipped", "reference", least - 1e-6)};
    EXPECT_THAT(refusal_of(config),
                HasSubstr("one launch cannot judge 'shipped against reference'"));
    EXPECT_THAT(refusal_of(config), HasSubstr("--launches 6"));
    config.gates = {regression_gate("shipped", "reference", least + 1e-6)};
    EXPECT_EQ(refusal_of(config), "accepted");
  }
  config.gates = {regression_gate("shipped", "reference", 0)};
  EXPECT_THAT(refusal_of(config), HasSubstr("one launch cannot judge"));
  config.gates = {fraction_gate("shipped", "reference", 0.995)};
  EXPECT_THAT(refusal_of(config), HasSubstr("one launch cannot judge"));
}

TEST(Looks, keep_their_number_whatever_max_blocks_is) {
  Config config = two_arms();
  config.measure.max_blocks = 10;
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.max_blocks, 10);
  EXPECT_THAT(plan.facts.looks, ElementsAre(6, 10, 14, 20));
  config.measure.max_blocks = 8;
  EXPECT_THAT(refusal_of(config), HasSubstr("6 | 10 | 14 | 20"));
}

TEST(Looks, come_after_every_second_block_until_a_verdict) {
  Config config = two_arms();
  config.measure.until_verdict = true;
  config.measure.max_blocks = 12;
  config.gates = {regression_gate("shipped", "reference", 0.02)};
  const Plan plan = make_plan(config, 2);
  EXPECT_THAT(plan.facts.looks, ElementsAre(6, 8, 10, 12));
  EXPECT_EQ(alpha_shares(plan.facts), 2) << "half for what one launch cannot show";
  config.measure.max_blocks = 11;
  EXPECT_THAT(refusal_of(config), HasSubstr("must be even"));
}

TEST(Gates, of_one_pair_of_arms_have_names_of_their_own) {
  Config config = two_arms();
  config.gates = {fraction_gate("shipped", "reference", 0.8),
                  regression_gate("shipped", "reference", 0.5)};
  const Plan plan = make_plan(config, 2);
  EXPECT_EQ(plan.facts.gates[0].name, "shipped against reference");
  EXPECT_EQ(plan.facts.gates[1].name, "shipped against reference, regression");
}

TEST(Gates, that_name_no_arm_are_refused_at_their_place_with_the_nearest) {
  Config config = two_arms();
  config.gates = {regression_gate("shiped", "reference", 0.1)};
  config.gates[0].where = "c.yaml:9:3";
  EXPECT_EQ(refusal_of(config),
            "c.yaml:9:3: the gate names the arm 'shiped', which is not there; did you mean "
            "'shipped'?");
}

TEST(Exchange, of_nothing_is_noted_since_replicas_then_differ) {
  Config config = two_arms();
  config.arms.push_back(arm_with(config, "alone", {{"workload.exchange", "none"}}));
  EXPECT_THAT(make_plan(config, 2).notes,
              ElementsAre("alone exchanges no gradients: each rank trains alone, and parameters "
                          "are not compared between ranks."));
  EXPECT_THAT(make_plan(config, 1).notes,
              ElementsAre("alone exchanges no gradients, as no arm does with one rank: "
                          "workload.exchange: none changes nothing here."));
  config.arms.pop_back();
  EXPECT_THAT(make_plan(config, 2).notes, IsEmpty());
}

TEST(Settings, hold_every_key_that_an_arm_that_trains_may_set) {
  const Plan plan = make_plan(two_arms(), 2);
  std::size_t keys = 0;
  for (const ConfigKey& key : config_keys()) {
    keys += key.scope == KeyScope::kArm && !is_command_key(key.path) ? 1 : 0;
  }
  ASSERT_EQ(plan.facts.arms[1].settings.size(), keys);
  EXPECT_THAT(plan.facts.arms[0].settings,
              testing::Contains(std::pair<std::string, std::string>("input.source", "synthetic")));
  EXPECT_THAT(plan.facts.arms[1].settings,
              testing::Contains(std::pair<std::string, std::string>("input.workers", "4")));
}

}  // namespace
}  // namespace traceml
