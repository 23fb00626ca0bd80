#include "harness/plan/trace_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

ArmConfig arm(const std::string& name, Source source) {
  ArmConfig arm;
  arm.name = name;
  arm.workload.model = kSpinModel;
  arm.workload.loader_ms.decode_ms = 1;
  arm.input.source = source;
  arm.input.workers = 2;
  arm.input.prefetch = 4;
  return arm;
}

Config config() {
  Config config;
  config.workload.model = kSpinModel;
  config.arms = {arm("reference", Source::kSynthetic), arm("shipped", Source::kDataset),
                 arm("deeper", Source::kDataset)};
  config.trace.active = 20;
  return config;
}

GateConfig gate(const std::string& candidate) {
  GateConfig gate;
  gate.candidate = candidate;
  gate.baseline = "shipped";
  return gate;
}

std::string traced_arm(const Config& config) {
  const Plan plan = make_plan(config, 1);
  return plan.facts.arms[static_cast<std::size_t>(plan.trace->arm.value)].name;
}

std::vector<std::string> in_words(const TracePlan& plan) {
  std::vector<std::string> words;
  for (const TraceStretch& one : plan.stretches()) {
    words.push_back(std::string(name_of(one.action)) + " " + std::to_string(one.cycle) + ": " +
                    std::to_string(one.first) + "+" + std::to_string(one.count));
  }
  return words;
}

TEST(TracePlan, SkipsThenRepeatsWaitWarmUpAndActiveAsTorchProfilerDoes) {
  TracePlan plan;
  plan.schedule = {.skip_first = 2, .wait = 1, .warmup = 2, .active = 3, .repeat = 2, .arm = ""};
  EXPECT_THAT(in_words(plan),
              ElementsAre("skip_first 0: 0+2", "wait 0: 2+1", "warmup 0: 3+2", "active 0: 5+3",
                          "wait 1: 8+1", "warmup 1: 9+2", "active 1: 11+3"));
  EXPECT_EQ(plan.steps(), 14);
  EXPECT_EQ(plan.longest_stretch(), 3);
}

TEST(TracePlan, LeavesOutStretchesOfNoStep) {
  TracePlan plan;
  plan.schedule = {.skip_first = 0, .wait = 0, .warmup = 0, .active = 5, .repeat = 1, .arm = ""};
  EXPECT_THAT(in_words(plan), ElementsAre("active 0: 0+5"));
}

TEST(TracePlan, TracesNothingUnlessStepsAreActive) {
  Config none = config();
  none.trace.active = 0;
  EXPECT_FALSE(make_plan(none, 1).trace.has_value());
}

TEST(TracePlan, TakesTheFirstGatesCandidate) {
  Config gated = config();
  gated.gates = {gate("deeper")};
  EXPECT_EQ(traced_arm(gated), "deeper");
}

TEST(TracePlan, TakesTheWrittenArmAndNotTheTwinThatAnOverheadGateAdds) {
  GateConfig overhead;
  overhead.kind = GateKind::kMaxOverhead;
  overhead.candidate = "shipped";
  for (const Instrument instrument : {Instrument::kHost, Instrument::kEvents}) {
    overhead.overhead_of = instrument;
    for (const Instrument written : {Instrument::kNone, Instrument::kHost, Instrument::kEvents}) {
      Config gated = config();
      gated.gates = {overhead};
      gated.arms[1].instrument = written;
      EXPECT_EQ(traced_arm(gated), "shipped");
    }
  }
}

TEST(TracePlan, WithoutGatesTakesTheFirstArmThatIsNoReference) {
  EXPECT_EQ(traced_arm(config()), "shipped");
}

TEST(TracePlan, TakesTheArmThatIsNamed) {
  Config named = config();
  named.trace.arm = "reference";
  EXPECT_EQ(traced_arm(named), "reference");
}

TEST(TracePlan, RefusesAnArmThatIsNotThere) {
  Config wrong = config();
  wrong.trace.arm = "shiped";
  try {
    make_plan(wrong, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "trace.arm is shiped, which is no arm; there are: reference, shipped, deeper");
  }
}

TEST(TracePlan, SelfchecksOfEqualArmsAreNotTraced) {
  Config equal = config();
  equal.measure.equal_arms = "shipped";
  EXPECT_FALSE(make_plan(equal, 1).trace.has_value());
}

TEST(TracePlan, WarnsOfNoWarmUp) {
  Config cold = config();
  cold.trace.warmup = 0;
  EXPECT_THAT(make_plan(cold, 1).notes, Contains(HasSubstr("trace.warmup is 0")));
  EXPECT_THAT(make_plan(config(), 1).notes, testing::Not(Contains(HasSubstr("trace.warmup is 0"))));
}

TEST(TracePlan, WarnsOfATraceThatIsNoLongerThanTheLoadersQueue) {
  Config with_queue = config();
  with_queue.trace.active = 4;
  EXPECT_THAT(make_plan(with_queue, 1).notes, Contains(HasSubstr("cannot show input stalls")));
  with_queue.trace.active = 5;
  EXPECT_THAT(make_plan(with_queue, 1).notes,
              testing::Not(Contains(HasSubstr("cannot show input stalls"))));
}

TEST(TracePlan, RefusesOperatorsOfASpinningModel) {
  Config spinning = config();
  spinning.trace.operators = true;
  try {
    make_plan(spinning, 1);
    FAIL() << "not refused";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("trace.operators: model spin runs no operators of libtorch; "
                          "leave the key out, or trace a model that trains"));
  }
}

TEST(TracePlan, SaysThatAReplayedGraphRunsNoOperators) {
  Config graph = config();
  graph.trace.operators = true;
  for (ArmConfig& one : graph.arms) {
    one.workload = {};
    one.workload.device = Device::kCuda;
    one.workload.execution = Execution::kGraph;
    one.input.dataset = "data";
  }
  graph.workload = graph.arms[0].workload;
  const auto told = Contains(HasSubstr("arm shipped replays a captured graph, which runs no"));
  EXPECT_THAT(make_plan(graph, 1).notes, told);
  for (ArmConfig& one : graph.arms) one.workload.execution = Execution::kEager;
  EXPECT_THAT(make_plan(graph, 1).notes, testing::Not(told));
}

TEST(TracePlan, TheLongestRowOfStepsCountsTheTracedOnes) {
  Config longer = config();
  longer.trace.active = 1000;
  EXPECT_EQ(most_steps_in_a_row(make_plan(longer, 1)), 1002);
}

TEST(TracePlan, TellsWhatEachStepIsFor) {
  Config schedule = config();
  schedule.trace = {.skip_first = 1, .wait = 2, .warmup = 1, .active = 3, .repeat = 1, .arm = ""};
  const Plan plan = make_plan(schedule, 1);
  EXPECT_EQ(trace_section(plan.trace, plan.facts),
            "step of the traced window  action\n"
            "0                          skip first: tracing off\n"
            "1 to 2                     wait: tracing off, cycle 0\n"
            "3                          warm-up: traced, thrown away, cycle 0\n"
            "4 to 6                     active: kept, cycle 0\n"
            "traced after all measured windows, and never judged: shipped, one file a rank and "
            "cycle\n\n");
}

}  // namespace
}  // namespace traceml
