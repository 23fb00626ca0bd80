// What ranks say of traces that hold host times alone.

#include "harness/core/error.h"
#include "tests/runner/rank_program_fixture.h"

namespace traceml {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class RefusingTrace final : public ActivityTrace {
 public:
  std::string name() const override { return "refusing"; }
  void warm_up() override { throw RunError("not permitted"); }
  void begin() override { throw RunError("not permitted"); }
  TimelineEvents end() override { throw RunError("not permitted"); }
  std::int64_t stop() noexcept override { return 0; }
};

class TracedRanksTest : public RankProgramTest {
 protected:
  // The traces of these ranks fail.
  std::vector<std::string> notes_where_fail(int ranks, const std::vector<int>& failing) {
    set_ranks(ranks);
    plan_.trace = TracePlan{
        .arm = ArmIndex{1},
        .schedule = {.skip_first = 0, .wait = 0, .warmup = 1, .active = 2, .repeat = 1, .arm = ""}};
    for (int rank = 0; rank < ranks; ++rank) at(rank).options.trace_dir = dir_ / "trace";
    for (const int rank : failing) at(rank).options.activities = &refusing_;
    run();
    return at(0).outcome.notes;
  }

  RefusingTrace refusing_;
};

TEST_F(TracedRanksTest, TheRankWhoseCollectorFailsIsNamed) {
  EXPECT_THAT(notes_where_fail(2, {1}),
              Contains("rank 1: the trace holds host times alone: not permitted"));
  EXPECT_THAT(notes_where_fail(4, {1, 3}),
              Contains("ranks 1, 3: the trace holds host times alone: not permitted"));
}

TEST_F(TracedRanksTest, WhatFailsOnAllRanksIsSaidOnceAndOfNone) {
  EXPECT_THAT(notes_where_fail(2, {0, 1}),
              Contains("the trace holds host times alone: not permitted"));
  EXPECT_THAT(notes_where_fail(2, {}), Not(Contains(HasSubstr("host times alone"))));
}

}  // namespace
}  // namespace traceml
