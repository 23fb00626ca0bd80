#include "harness/runner/add_operators.h"

#include <gmock/gmock.h>

namespace traceml {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(AddOperators, NamesAndThreadsThatTheTraceHasBecomeOneWithTheirs) {
  RunTrace trace;
  trace.events.names = {"forward"};
  trace.events.threads = {{"0", "481", "training"}};
  trace.events.facts.own.emplace();
  OperatorEvents operators;
  operators.names = {"aten::add", "forward", "aten::add", "[[2]]"};
  operators.threads = {{"0", "77", "pt_autograd_0"}, {"0", "481", "traceml-bench"}};
  operators.spans = {
      {.start = 1ns, .duration = 2ns, .sequence = 5, .dims = 3, .name = 0, .thread = 0},
      {.start = 3ns, .duration = 4ns, .sequence = {}, .dims = {}, .name = 2, .thread = 1},
      {.start = 5ns, .duration = 6ns, .sequence = {}, .dims = {}, .name = 1, .thread = 1}};
  operators.dropped = 9;

  add_operators(operators, &trace);

  EXPECT_THAT(trace.events.names, ElementsAre("forward", "aten::add", "[[2]]"));
  ASSERT_EQ(trace.events.threads.size(), 2u);
  EXPECT_EQ(trace.events.threads[0].name, "training");
  ASSERT_EQ(trace.operators.size(), 3u);
  EXPECT_EQ(trace.operators[0].thread, 1u);
  EXPECT_EQ(trace.operators[0].name, 1u);
  EXPECT_EQ(trace.operators[0].dims, 2u);
  EXPECT_EQ(trace.operators[0].sequence, 5);
  EXPECT_EQ(trace.operators[1].thread, 0u);
  EXPECT_EQ(trace.operators[1].name, 1u);
  EXPECT_EQ(trace.operators[2].name, 0u);
  EXPECT_EQ(trace.events.facts.own->operators, 3);
  EXPECT_EQ(trace.events.facts.own->dropped_operators, 9);
  EXPECT_TRUE(trace.events.facts.record_shapes);
}

}  // namespace
}  // namespace traceml
