#include "harness/runner/rank_cores.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "harness/runner/allowed_cores.h"

namespace traceml {
namespace {

using Cores = std::vector<int>;

const Cores kFive = {1, 3, 5, 7, 9};

Cores share(const std::vector<RankCores>& ranks, int self) {
  return share_of_cores(ranks, Rank{self});
}

TEST(RankCores, of_every_rank_reach_all_ranks) {
  const RankCores mine = cores_of_this_process();
  EXPECT_FALSE(mine.cores.empty());
  SteadyHostClock clock;
  ThreadGroup group(2, clock);
  group.run([&mine](Transport& transport, Collective& /*collective*/) {
    const std::vector<RankCores> all = gather_cores(transport);
    ASSERT_EQ(all.size(), 2U);
    for (const RankCores& each : all) {
      EXPECT_EQ(each.node, mine.node);
      EXPECT_EQ(each.cores, mine.cores);
    }
  });
}

TEST(ShareOfCores, is_no_other_ranks_and_leaves_no_core_idle) {
  const std::vector<RankCores> ranks = {{"n", kFive}, {"m", kFive}, {"n", kFive}};
  EXPECT_EQ(share(ranks, 0), (Cores{1, 3}));
  EXPECT_EQ(share(ranks, 2), (Cores{5, 7, 9}));
  EXPECT_EQ(share(ranks, 1), kFive) << "alone on its node";
}

TEST(ShareOfCores, is_one_core_where_ranks_exceed_them) {
  const std::vector<RankCores> ranks(3, {"n", {4, 6}});
  EXPECT_EQ(share(ranks, 0), Cores{4});
  EXPECT_EQ(share(ranks, 1), Cores{4});
  EXPECT_EQ(share(ranks, 2), Cores{6});
}

TEST(ShareOfCores, is_what_the_launcher_gave_where_masks_differ) {
  const std::vector<RankCores> bound = {{"n", {0, 1}}, {"n", {2, 3}}};
  EXPECT_EQ(share(bound, 0), (Cores{0, 1}));
  EXPECT_EQ(share(bound, 1), (Cores{2, 3}));
  const std::vector<RankCores> overlapping = {{"n", {0, 1, 2}}, {"n", {2, 3}}};
  EXPECT_EQ(share(overlapping, 0), (Cores{0, 1, 2}));
}

// In a child: the mask of this process stays as it is.
TEST(AllowCores, binds_threads_that_run_and_threads_to_come) {
  const Cores all = cores_allowed_to(0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<bool> bound{false};
    std::atomic<std::size_t> early{0};
    std::size_t late = 0;
    std::jthread running([&] {
      bound.wait(false);
      early = cores_allowed_to(0).size();
    });
    allow_cores({all.back()});
    bound = true;
    bound.notify_one();
    running.join();
    std::jthread([&late] { late = cores_allowed_to(0).size(); }).join();
    _exit(early == 1 && late == 1 && cores_allowed_to(0) == Cores{all.back()} ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace traceml
