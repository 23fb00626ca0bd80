#include "harness/backends/mpi/launch_environment.h"

#include <gmock/gmock.h>

#include <map>

namespace traceml {
namespace {

using testing::HasSubstr;
using testing::Optional;

std::optional<std::string> conflict(const std::map<std::string, std::string>& variables, int size) {
  return world_size_conflict(
      [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      },
      size);
}

TEST(WorldSizeConflictTest, AcceptsALaunchOfTheSizeThatMpiSees) {
  EXPECT_EQ(conflict({}, 1), std::nullopt);
  EXPECT_EQ(conflict({{"OMPI_COMM_WORLD_SIZE", "2"}}, 2), std::nullopt);
  EXPECT_EQ(conflict({{"PMI_SIZE", "4"}}, 4), std::nullopt);
  EXPECT_EQ(conflict({{"SLURM_NTASKS", "1"}}, 1), std::nullopt);
}

TEST(WorldSizeConflictTest, RefusesNSingleWorlds) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    EXPECT_THAT(conflict({{name, "4"}}, 1),
                Optional(AllOf(HasSubstr("the launcher started 4 ranks"), HasSubstr(name),
                               HasSubstr("linked with another MPI"))));
  }
}

TEST(WorldSizeConflictTest, TrustsTheInnermostLauncherInsideASlurmJob) {
  EXPECT_EQ(conflict({{"SLURM_NTASKS", "8"}, {"OMPI_COMM_WORLD_SIZE", "1"}}, 1), std::nullopt);
  EXPECT_EQ(conflict({{"SLURM_NTASKS", "8"}}, 2), std::nullopt);
}

TEST(WorldSizeConflictTest, IgnoresWhatIsNoNumber) {
  EXPECT_EQ(conflict({{"PMI_SIZE", "many"}}, 1), std::nullopt);
  EXPECT_EQ(conflict({{"PMI_SIZE", "4x"}}, 1), std::nullopt);
}

TEST(BindingWarningTest, IsSilentWhereARankHasAllCoresOrItsShare) {
  EXPECT_EQ(binding_warning({.allowed = 2, .launcher_allowed = 2, .ranks_on_node = 2}),
            std::nullopt);
  EXPECT_EQ(binding_warning({.allowed = 4, .launcher_allowed = 16, .ranks_on_node = 4}),
            std::nullopt)
      << "map-by slot:PE=4";
  EXPECT_EQ(binding_warning({.allowed = 1, .launcher_allowed = 1, .ranks_on_node = 4}),
            std::nullopt)
      << "there is only one core";
}

TEST(BindingWarningTest, NamesTheFlagWhereARankIsPinned) {
  EXPECT_THAT(binding_warning({.allowed = 1, .launcher_allowed = 2, .ranks_on_node = 2}),
              Optional(AllOf(HasSubstr("1 of 2 cores"), HasSubstr("--bind-to none"))));
  EXPECT_THAT(binding_warning({.allowed = 2, .launcher_allowed = 16, .ranks_on_node = 2}),
              Optional(HasSubstr("2 of 16 cores")));
}

TEST(LauncherCoreCountTest, IsAtLeastOne) {
  EXPECT_GE(launcher_core_count(), 1);
}

TEST(LaunchedRankTest, IsThatOfTheLauncherThatNamesBothRankAndSize) {
  const auto of = [](std::map<std::string, std::string> variables) {
    return launched_rank([variables](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_FALSE(of({}));
  EXPECT_FALSE(of({{"OMPI_COMM_WORLD_SIZE", "4"}}));
  EXPECT_FALSE(of({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "1"}})) << "also in a job's shell";
  const auto rank = of({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->rank, 3);
  EXPECT_EQ(rank->world_size, 4);
  EXPECT_EQ(of({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}})->rank, 0);
}

}  // namespace
}  // namespace traceml
