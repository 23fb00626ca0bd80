#include "harness/runner/allowed_cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace traceml {
namespace {

// In a child: the mask of this process stays as it is.
TEST(AllowedCores, FollowTheAffinityMask) {
  ASSERT_GE(allowed_core_count(), 1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(2);
    _exit(allowed_core_count() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(AllowedCores, AreSortedAndHoldTheCoreThatRuns) {
  const std::vector<int> cores = cores_allowed_to(0);
  EXPECT_TRUE(std::is_sorted(cores.begin(), cores.end()));
  EXPECT_TRUE(std::binary_search(cores.begin(), cores.end(), sched_getcpu()));
  EXPECT_EQ(allowed_core_count(), static_cast<int>(cores.size()));
}

TEST(AllowedCores, AreEmptyForAProcessThatIsNotThere) {
  EXPECT_TRUE(cores_allowed_to(0x3ffffff0).empty());
}

}  // namespace
}  // namespace traceml
