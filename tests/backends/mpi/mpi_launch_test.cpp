// Starts mpi_probe in each way that users start the tool and looks at what comes out.

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "harness/runner/allowed_cores.h"

namespace traceml {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Ended {
  int code = -1;
  std::string output;  // both streams
};

// `timeout` ends what hangs: 124 is no expected code. Twenty seconds is what the tool promises.
Ended shell(const std::string& command) {
  Ended ended;
  FILE* pipe = popen(("timeout 20 " + command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t read = fread(buffer.data(), 1, buffer.size(), pipe)) {
    ended.output.append(buffer.data(), read);
  }
  const int status = pclose(pipe);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

std::string mpirun(const std::string& flags) {
  return std::string(TRACEML_MPIRUN) + " " + flags + " " + TRACEML_MPI_PROBE + " ";
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(MpiLaunchTest, RunsWithoutMpirunAsOneRank) {
  const Ended ended = shell(std::string(TRACEML_MPI_PROBE) + " size");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(ended.output, "rank 0 of 1\n");
}

TEST(MpiLaunchTest, RunsWithOneTwoAndFourRanks) {
  EXPECT_EQ(shell(mpirun("-n 1") + "size").output, "rank 0 of 1\n");
  const Ended two = shell(mpirun("-n 2") + "size");
  EXPECT_THAT(two.output, HasSubstr("rank 1 of 2"));
  EXPECT_EQ(two.code, 0);
  const Ended four = shell(mpirun("-n 4") + "size");
  EXPECT_THAT(four.output, HasSubstr("rank 3 of 4"));
  EXPECT_EQ(four.code, 0);
}

TEST(MpiLaunchTest, EndsAllRanksWithCodeFourAndOneSentenceWhereOneFails) {
  for (const char* rank : {"0", "1"}) {
    const Ended ended = shell(mpirun("-n 2") + "throw " + rank);
    EXPECT_EQ(ended.code, 4) << ended.output;
    EXPECT_EQ(count(ended.output, "planted"), 1) << ended.output;
    EXPECT_THAT(ended.output, HasSubstr(std::string("rank ") + rank + ": planted"));
  }
}

TEST(MpiLaunchTest, PrintsOneSentenceWhereAllRanksFailAtOnce) {
  const Ended ended = shell(mpirun("-n 3") + "throw_all");
  EXPECT_EQ(ended.code, 4) << ended.output;
  EXPECT_EQ(count(ended.output, "planted"), 1) << ended.output;
}

TEST(MpiLaunchTest, EndsTheRunFromAnotherThreadWhileOthersWaitInMpi) {
  const Ended ended = shell(mpirun("-n 2") + "hang 1");
  EXPECT_EQ(ended.code, 4) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("rank 1: hangs"));
}

TEST(MpiLaunchTest, RefusesToRunSingleWorldsUnderAnotherMpisLauncher) {
  const Ended ended =
      shell(std::string("env PMI_SIZE=4 SLURM_NTASKS=4 ") + TRACEML_MPI_PROBE + " size");
  EXPECT_EQ(ended.code, 4) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("the launcher started 4 ranks (PMI_SIZE), but MPI sees 1"));
}

// The launcher's default binding gives each rank one core; it shows only where there are several.
TEST(MpiLaunchTest, WarnsWhereTheLauncherPinsRanksToCores) {
  if (allowed_core_count() < 2) GTEST_SKIP() << "one core: a pinned rank loses nothing";
  const Ended pinned = shell(mpirun("-n 2 --bind-to core --map-by core") + "size");
  EXPECT_THAT(pinned.output, HasSubstr("pass --bind-to none to mpirun")) << pinned.output;
  const Ended single = shell(mpirun("-n 1 --bind-to core --map-by core") + "size");
  EXPECT_THAT(single.output, HasSubstr("pass --bind-to none to mpirun")) << single.output;
  const Ended free = shell(mpirun("-n 2") + "size");
  EXPECT_THAT(free.output, Not(HasSubstr("--bind-to none"))) << free.output;
}

}  // namespace
}  // namespace traceml
