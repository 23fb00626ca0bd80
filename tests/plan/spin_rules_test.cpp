#include "harness/plan/spin_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

Config spin_config(const std::string& plant) {
  Config config;
  for (const auto& [path, text] : {std::pair<std::string, std::string>{"workload.model", "spin"},
                                   {"workload.clock", "virtual"},
                                   {"plant", plant}}) {
    EXPECT_EQ(find_config_key(path)->set(config, text), std::nullopt);
  }
  return config;
}

TEST(SpinPlan, needs_no_data_set) {
  const Plan plan = make_plan(spin_config("[]"), 1);
  EXPECT_EQ(plan.facts.arms[0].queue_capacity, 0);
  EXPECT_FALSE(plan.facts.arms[0].input_free);
}

TEST(SpinPlan, has_the_period_of_its_stalls_and_delays) {
  const Plan plan = make_plan(
      spin_config(
          "[{stall: {every: 8, ms: 1, phase: forward}}, {delay: {rank: 0, ms: 1, every: 3}}]"),
      1);
  EXPECT_EQ(plan.facts.period, 24);
  EXPECT_EQ(plan.facts.settle_steps % 24, 0);
  EXPECT_EQ(plan.facts.steps_per_window % 24, 0);
}

TEST(SpinPlan, says_what_is_planted_and_that_time_is_simulated) {
  const Plan plan = make_plan(spin_config("[{drift: 6%}]"), 1);
  EXPECT_THAT(plan.notes, Contains("planted in shipped: [{drift: 6%}]."));
  EXPECT_THAT(plan.notes, Contains(HasSubstr("virtual clock")));
}

TEST(SpinPlan, has_a_fake_device_unless_it_is_sent_to_the_cpu) {
  Config config = spin_config("[]");
  EXPECT_TRUE(has_fake_device(make_plan(config, 1).config));
  find_config_key("workload.device")->set(config, "cpu");
  EXPECT_FALSE(has_fake_device(make_plan(config, 1).config));
}

TEST(TrainingOnTheCpu, refuses_keys_that_only_a_gpu_knows) {
  const auto plan_with = [](const std::string& device, const std::string& path,
                            const std::string& value) {
    Config config;
    config.input.source = Source::kSynthetic;
    EXPECT_EQ(find_config_key("workload.device")->set(config, device), std::nullopt);
    EXPECT_EQ(find_config_key(path)->set(config, value), std::nullopt);
    return make_plan(config, 1);
  };
  for (const auto& [path, value, instead] : {std::tuple<std::string, std::string, std::string>{
                                                 "workload.precision", "tf32", "use fp32 or bf16"},
                                             {"workload.execution", "graph", "use eager"},
                                             {"workload.cudnn_benchmark", "false", "leave it out"},
                                             {"input.pinned", "false", "leave it out"},
                                             {"input.copy", "blocking", "leave it out"}}) {
    EXPECT_NO_THROW(plan_with("auto", path, value)) << path;
    EXPECT_NO_THROW(plan_with("cuda", path, value)) << path;
    const auto on_the_cpu = [&, path = path, value = value] { plan_with("cpu", path, value); };
    EXPECT_THAT(on_the_cpu,
                ThrowsMessage<UsageError>(path + ": " + value +
                                          " needs CUDA, and workload.device is cpu; " + instead));
  }
}

TEST(SpinPlan, refuses_what_would_strike_after_the_last_window) {
  const auto plan_with = [](const std::string& window) {
    return make_plan(
        spin_config("[{fault: {rank: 0, window: " + window + ", step: 0, how: throw}}]"), 1);
  };
  const CampaignFacts facts = plan_with("0").facts;
  const auto windows = facts.max_blocks * static_cast<int>(facts.arms.size());
  EXPECT_NO_THROW(plan_with(std::to_string(windows - 1)));
  try {
    plan_with(std::to_string(windows));
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("never strikes: the run has at most " +
                                        std::to_string(windows) + " windows, counted from 0"));
  }
}

TEST(PlantsForm, prints_what_it_reads) {
  const auto form = plants_form();
  for (const std::string text :
       {"[]", "[{slowdown: 5%}, {drift: 6%}]", "[{stall: {every: 8, ms: 2.5, phase: h2d}}]",
        "[{delay: {rank: 1, ms: 20, before: allreduce, every: 2}}]",
        "[{delay: {rank: 1, ms: 20, before: allreduce, every: 1, on: device}}]",
        "[{fault: {rank: 1, window: warmup, step: 4, phase: allreduce, how: segfault}}]"}) {
    const auto read = form.read(text);
    ASSERT_TRUE(read.value) << read.fault;
    EXPECT_EQ(form.print(*read.value), text);
  }
}

TEST(PlantsForm, refuses_what_is_no_list_of_plants) {
  for (const std::string text :
       {"", "[", "[{slowdown: 5%}", "[{slowdown: 5%}] x", "[slowdown]", "[{}]", "{slowdown: 5%}",
        "[{slowdown: {5%}}]", "[{stall: 8}]", "[{slowdown: {every: 8}}]", "[{drift: }]",
        "[{untracked: {ms: 1, ms: 1}}]", "[{untracked: {ms: 0}}]", "[{untracked: {}}]",
        "[{lost_event: {rank: 0, step: 1, phase: traced}}]", "[{delay: {rank: -1, ms: 1}}]"}) {
    EXPECT_FALSE(plants_form().read(text).value) << text;
  }
}

}  // namespace
}  // namespace traceml
