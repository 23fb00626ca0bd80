#include <gmock/gmock.h>

#include <mutex>
#include <string>
#include <vector>

#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "harness/backends/nccl/nccl_meeting.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What each rank gets: the identifier, or the sentence that it throws.
struct Answers {
  std::vector<std::string> identifiers;
  std::vector<std::string> sentences;
};

Answers answers_of(const std::vector<NcclRank>& ranks,
                   const std::function<std::string()>& make_identifier) {
  SteadyHostClock clock;
  ThreadGroup group(static_cast<int>(ranks.size()), clock);
  Answers answers;
  std::mutex mutex;
  group.run([&](Transport& transport, Collective&) {
    const NcclRank& own = ranks[static_cast<std::size_t>(transport.rank().value)];
    std::string identifier;
    std::string sentence;
    try {
      identifier = meet_before_nccl(transport, own, make_identifier);
    } catch (const RunError& error) {
      sentence = error.what();
    }
    const std::lock_guard lock(mutex);
    if (sentence.empty()) {
      answers.identifiers.push_back(identifier);
    } else {
      answers.sentences.push_back(sentence);
    }
  });
  return answers;
}

// 128 bytes of any value, as NCCL's are.
std::string identifier_with_zeros() {
  std::string identifier(128, '\0');
  identifier[5] = '\n';
  identifier[127] = 'o';
  return identifier;
}

TEST(NcclMeetingTest, GivesEveryRankTheBytesThatRankZeroMade) {
  const Answers answers =
      answers_of({{"2.28.9", ""}, {"2.28.9", ""}, {"2.28.9", ""}}, identifier_with_zeros);
  EXPECT_THAT(answers.identifiers, ElementsAre(identifier_with_zeros(), identifier_with_zeros(),
                                               identifier_with_zeros()));
}

TEST(NcclMeetingTest, RefusesDifferentVersionsOnEveryRankWithBothAndTheirRanks) {
  const Answers answers =
      answers_of({{"2.28.9", ""}, {"2.28.9", ""}, {"2.28.3", ""}}, identifier_with_zeros);
  EXPECT_THAT(answers.identifiers, IsEmpty());
  const std::string sentence =
      "rank 0 has NCCL 2.28.9 and rank 2 has NCCL 2.28.3; start all ranks with the same library "
      "(see LD_LIBRARY_PATH)";
  EXPECT_THAT(answers.sentences, ElementsAre(sentence, sentence, sentence));
}

TEST(NcclMeetingTest, TellsEveryRankWhyOneCannotTakePart) {
  const Answers answers =
      answers_of({{"2.28.9", ""}, {"", "cudaSetDevice failed"}}, identifier_with_zeros);
  EXPECT_THAT(answers.sentences,
              ElementsAre("rank 1: cudaSetDevice failed", "rank 1: cudaSetDevice failed"));
}

TEST(NcclMeetingTest, TellsEveryRankThatRankZeroCouldMakeNoIdentifier) {
  const Answers answers = answers_of({{"2.28.9", ""}, {"2.28.9", ""}}, []() -> std::string {
    throw RunError("ncclGetUniqueId failed");
  });
  EXPECT_THAT(answers.sentences,
              ElementsAre("rank 0: ncclGetUniqueId failed", "rank 0: ncclGetUniqueId failed"));
}

}  // namespace
}  // namespace traceml
