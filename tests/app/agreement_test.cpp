// What ranks do about an error that only some of them have.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/ranks.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"

namespace traceml {
namespace {

constexpr int kRanks = 4;

struct Ending {
  std::optional<std::string> sentence;  // of the AgreedError; nullopt: there was none
  ExitCode code = ExitCode::kPass;
};

// agree() on kRanks ranks, where `own` says what went wrong with each.
std::vector<Ending> endings(const std::vector<std::optional<Error>>& own) {
  SteadyHostClock clock;
  ThreadGroup group(kRanks, clock);
  std::vector<Ending> all(kRanks);
  group.run([&](Transport& transport, Collective&) {
    const auto rank = static_cast<std::size_t>(transport.rank().value);
    try {
      agree(transport, own[rank]);
    } catch (const AgreedError& error) {
      all[rank] = {error.what(), error.code()};
    }
  });
  return all;
}

void expect_everywhere(const std::vector<Ending>& all, const std::string& sentence, ExitCode code) {
  for (const Ending& ending : all) {
    EXPECT_EQ(ending.sentence, sentence);
    EXPECT_EQ(ending.code, code);
  }
}

TEST(Agreement, NobodyThrowsWhereNothingWentWrong) {
  for (const Ending& ending : endings({kRanks, std::nullopt})) {
    EXPECT_EQ(ending.sentence, std::nullopt);
  }
}

TEST(Agreement, TheErrorOfTheLastRankReachesAllWithItsCode) {
  std::vector<std::optional<Error>> own(kRanks);
  own.back() = RunError("cannot make r/raw: No space left on device");
  expect_everywhere(endings(own), "cannot make r/raw: No space left on device",
                    ExitCode::kRunFailed);
}

TEST(Agreement, OfSeveralErrorsThatOfTheFirstRankWins) {
  expect_everywhere(endings({std::nullopt, UsageError("first"), RunError("second"), std::nullopt}),
                    "first", ExitCode::kUsage);
}

TEST(Agreement, AllRanksWithTheSameErrorGiveOneSentence) {
  expect_everywhere(endings({kRanks, UsageError("a.yaml:1:2: no such key")}),
                    "a.yaml:1:2: no such key", ExitCode::kUsage);
}

TEST(Agreement, ASentenceOfSeveralLinesOrNoneArrivesWhole) {
  std::vector<std::optional<Error>> own(kRanks);
  own[2] = UsageError("two\nlines of 4 words");
  expect_everywhere(endings(own), "two\nlines of 4 words", ExitCode::kUsage);
  own[2] = UsageError("");
  expect_everywhere(endings(own), "", ExitCode::kUsage);
}

TEST(Together, GivesEveryRankItsOwnResult) {
  SteadyHostClock clock;
  ThreadGroup group(kRanks, clock);
  std::vector<std::string> results(kRanks);
  group.run([&](Transport& transport, Collective&) {
    const int rank = transport.rank().value;
    results[static_cast<std::size_t>(rank)] =
        together(transport, [&] { return "of rank " + std::to_string(rank); });
  });
  EXPECT_EQ(results,
            (std::vector<std::string>{"of rank 0", "of rank 1", "of rank 2", "of rank 3"}));
}

TEST(Together, RunsTheActionOnEveryRankAlsoWhereOneFails) {
  SteadyHostClock clock;
  ThreadGroup group(kRanks, clock);
  std::atomic<int> ran = 0;
  std::atomic<int> agreed = 0;
  group.run([&](Transport& transport, Collective&) {
    try {
      together(transport, [&] {
        ++ran;
        if (transport.rank().value == 1) throw RunError("the disk of rank 1 is full");
        return true;
      });
    } catch (const AgreedError& error) {
      agreed += std::string(error.what()) == "the disk of rank 1 is full" ? 1 : 0;
    }
  });
  EXPECT_EQ(ran, kRanks);
  EXPECT_EQ(agreed, kRanks);
}

TEST(Together, LeavesAnErrorThatIsNoneOfOursToTheRankThatHasIt) {
  SteadyHostClock clock;
  ThreadGroup group(kRanks, clock);
  EXPECT_THROW(group.run([&](Transport& transport, Collective&) {
    together(transport, [&]() -> bool {
      if (transport.rank().value == 1) throw std::runtime_error("out of luck");
      return true;
    });
  }),
               RankEnded);
}

}  // namespace
}  // namespace traceml
