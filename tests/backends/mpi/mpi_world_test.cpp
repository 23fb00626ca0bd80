// Runs under mpirun: every rank runs every test, and MPI lives as long as the program.

#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>

#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/mpi/launch_environment.h"
#include "harness/backends/mpi/mpi_backend.h"
#include "tests/backends/port_contracts.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

std::unique_ptr<MpiWorld> world;

class MpiEnvironment final : public testing::Environment {
 public:
  void SetUp() override { world = start_mpi({.slice_bytes = 7}); }
  void TearDown() override { world->finalize(); }
};

const auto* const environment = testing::AddGlobalTestEnvironment(new MpiEnvironment);

TEST(MpiWorldTest, HasTheSizeThatTheLauncherStarted) {
  const auto launched = process_environment("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(std::to_string(world->transport().world_size()), launched.value_or("1"));
  EXPECT_EQ(world->ranks_on_node(), world->transport().world_size()) << "one node here";
  EXPECT_EQ(world->rank_on_node(), world->transport().rank());
}

TEST(MpiWorldTest, SharesZerosOnTheNodeIntoWhichEachRankWritesForAll) {
  Transport& transport = world->transport();
  const auto parts = world->share_on_node(3 * sizeof(int));
  ASSERT_EQ(parts.size(), static_cast<std::size_t>(world->ranks_on_node()));
  const auto own = static_cast<std::size_t>(world->rank_on_node().value);
  EXPECT_EQ(parts[own].rank, transport.rank());
  auto* numbers = static_cast<int*>(parts[own].memory);
  EXPECT_EQ(numbers[0] + numbers[1] + numbers[2], 0);
  numbers[2] = 100 + transport.rank().value;
  transport.barrier();
  for (const NodeMemory& part : parts) {
    EXPECT_EQ(static_cast<int*>(part.memory)[2], 100 + part.rank.value);
  }
  transport.barrier();
}

TEST(MpiWorldTest, NamesTheMpiAndItsVersion) {
  EXPECT_THAT(world->version(), testing::MatchesRegex("(Open MPI|MPICH).* [0-9]+\\.[0-9]+.*"));
}

TEST(MpiWorldTest, SeesNoBindingUnderBindToNone) {
  EXPECT_EQ(world->affinity_warning(), std::nullopt);
}

TEST(MpiCollectiveTest, CallsNoClockWhileRecordingIsOff) {
  ManualClock clock;
  const auto collective = world->make_collective(clock);
  std::vector<float> values(1000, 1.0f);
  collective->all_reduce_mean(
      {.bucket = 0, .data = values.data(), .count = 1000, .type = {}, .queue = {}});
  collective->wait({});
  EXPECT_EQ(clock.calls(), 0);
}

TEST(MpiCollectiveTest, RefusesDeviceBuckets) {
  ManualClock clock;
  const auto collective = world->make_collective(clock);
  EXPECT_THROW(collective->all_reduce_mean(
                   {.bucket = 0, .data = nullptr, .count = 1, .type = {}, .queue = {9}}),
               RunError);
}

TEST(MpiCollectiveTest, RefusesMoreBucketsInAStepThanItsQueueHolds) {
  ManualClock clock;
  const auto collective = world->make_collective(clock);
  // Rank 0 hands over none meanwhile, so that none of the others' can end; alone, all end at once.
  if (world->transport().world_size() == 1) GTEST_SKIP() << "needs a rank to wait for";
  std::vector<float> values(3000);
  int refused = 0;
  int accepted = 0;
  const auto hand_over = [&](int count) {
    for (int i = 0; i < count; ++i) {
      collective->all_reduce_mean({.bucket = i,
                                   .data = &values[static_cast<std::size_t>(i)],
                                   .count = 1,
                                   .type = {},
                                   .queue = {}});
      ++accepted;
    }
  };
  if (world->transport().rank() != Rank{0}) {
    try {
      hand_over(2000);
    } catch (const RunError& error) {
      ++refused;
      EXPECT_THAT(error.what(), testing::HasSubstr("raise workload.bucket_mb"));
    }
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(accepted, 1024);
  }
  world->transport().barrier();
  if (world->transport().rank() == Rank{0}) hand_over(1024);
  collective->wait({});
}

}  // namespace

std::vector<WorldCase> world_cases() {
  return {{.name = "mpi", .exchanges = true, .run = [](const RankBody& body) {
             SteadyHostClock clock;
             const auto collective = world->make_collective(clock);
             body(world->transport(), *collective);
           }}};
}

}  // namespace traceml
