#include "workloads/torch/intra_op_threads.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace traceml {
namespace {

const std::vector<int> kEight = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(IntraOpThreads, RanksThatShareTheirCoresShareTheThreads) {
  const std::vector<RankCores> ranks = {{"n", kEight}, {"n", kEight}, {"n", kEight}};
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(intra_op_threads(0, ranks, Rank{rank}), 2);
}

TEST(IntraOpThreads, RanksOnOtherNodesAndOnOtherCoresTakeNothingAway) {
  const std::vector<RankCores> ranks = {
      {"n", {0, 1, 2, 3}}, {"n", {4, 5, 6, 7}}, {"m", {0, 1, 2, 3}}};
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(intra_op_threads(0, ranks, Rank{rank}), 4);
}

TEST(IntraOpThreads, AreAtLeastOneWhereRanksExceedTheCores) {
  const std::vector<RankCores> ranks = {{"n", {0}}, {"n", {0}}};
  EXPECT_EQ(intra_op_threads(0, ranks, Rank{1}), 1);
  EXPECT_EQ(intra_op_threads(1, ranks, Rank{1}), 1);
}

TEST(IntraOpThreads, ARequestWithinTheShareIsTakenAndOneBeyondItRefused) {
  const std::vector<RankCores> ranks = {{"n", kEight}, {"n", kEight}};
  EXPECT_EQ(intra_op_threads(3, ranks, Rank{0}), 3);
  EXPECT_EQ(intra_op_threads(4, ranks, Rank{0}), 4);
  try {
    intra_op_threads(5, ranks, Rank{0});
    FAIL() << "not refused";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "workload.threads: 5 on each of 2 ranks exceeds the 8 cores that they may use; "
                 "set at most 4, or 0 for an equal share");
  }
}

}  // namespace
}  // namespace traceml
