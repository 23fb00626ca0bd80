#include "harness/backends/local/thread_group.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "harness/backends/local/single_rank.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using testing::HasSubstr;

TEST(ThreadGroupTest, ReleasesRanksThatWaitForOneThatFails) {
  ManualClock clock;
  ThreadGroup group(3, clock);
  std::atomic<int> ended{0};
  try {
    group.run([&](Transport& transport, Collective&) {
      if (transport.rank() == Rank{1}) transport.fail("rank 1 broke", ExitCode::kRunFailed);
      try {
        transport.barrier();
      } catch (const RankEnded& failure) {
        EXPECT_STREQ(failure.what(), "rank 1 broke");
        ++ended;
        throw;
      }
    });
    FAIL() << "the failure is passed on";
  } catch (const RankEnded& failure) {
    EXPECT_STREQ(failure.what(), "rank 1 broke");
    EXPECT_EQ(failure.code(), ExitCode::kRunFailed);
  }
  EXPECT_EQ(ended, 2);
}

TEST(ThreadGroupTest, ReleasesRanksThatWaitForTheirGradients) {
  ManualClock clock;
  ThreadGroup group(2, clock);
  EXPECT_THROW(group.run([&](Transport& transport, Collective& collective) {
    if (transport.rank() == Rank{1}) throw std::runtime_error("planted");
    float value = 1;
    collective.all_reduce_mean({.bucket = 0, .data = &value, .count = 1, .type = {}, .queue = {}});
    collective.wait({});
  }),
               RankEnded);
  EXPECT_EQ(group.failure(), "planted");
}

TEST(ThreadGroupTest, KeepsTheFirstOfSeveralFailures) {
  ManualClock clock;
  ThreadGroup group(2, clock);
  const auto first = group.make_transport(Rank{0});
  const auto second = group.make_transport(Rank{1});
  EXPECT_THROW(first->fail("the first", ExitCode::kUsage), RankEnded);
  try {
    second->fail("the second", ExitCode::kRunFailed);
  } catch (const RankEnded& failure) {
    EXPECT_STREQ(failure.what(), "the first");
    EXPECT_EQ(failure.code(), ExitCode::kUsage);
  }
}

TEST(ThreadGroupTest, RefusesBucketsThatDifferBetweenRanks) {
  ManualClock clock;
  ThreadGroup group(2, clock);
  EXPECT_THROW(group.run([&](Transport& transport, Collective& collective) {
    std::vector<float> values(10);
    collective.all_reduce_mean({.bucket = 3,
                                .data = values.data(),
                                .count = 5 + transport.rank().value,
                                .type = {},
                                .queue = {}});
    collective.wait({});
  }),
               RankEnded);
  EXPECT_THAT(group.failure(), HasSubstr("bucket 3 differs in length"));
}

TEST(ThreadGroupTest, CallsNoClockWhileRecordingIsOff) {
  ManualClock clock;
  ThreadGroup group(2, clock);
  group.run([](Transport&, Collective& collective) {
    float value = 1;
    collective.all_reduce_mean({.bucket = 0, .data = &value, .count = 1, .type = {}, .queue = {}});
    collective.wait({});
  });
  EXPECT_EQ(clock.calls(), 0);
}

TEST(ThreadGroupTest, RefusesDeviceBuckets) {
  ManualClock clock;
  ThreadGroup group(1, clock);
  const auto collective = group.make_collective(Rank{0});
  EXPECT_THROW(collective->all_reduce_mean(
                   {.bucket = 0, .data = nullptr, .count = 0, .type = {}, .queue = {5}}),
               RunError);
}

TEST(SingleTransportDeathTest, EndsTheProcessWithTheCodeAndPrintsTheSentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  SingleTransport transport;
  EXPECT_EXIT(transport.fail("disk full", ExitCode::kRunFailed), testing::ExitedWithCode(4),
              "^disk full\n$");
}

}  // namespace
}  // namespace traceml
