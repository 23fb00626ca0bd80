// What throws or hangs on one rank ends all of them with one sentence that says where; finished
// windows stay.

#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/runner/rank_program_fixture.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

[[noreturn]] void throw_planted() {
  throw RunError("planted cause");
}

// Warm-up: 9 steps. A window: 6 steps, of which 2 settle.
constexpr int kWarmUpSteps = 9;

TEST_F(RankProgramTest, NamesRankArmWindowStepAndPhaseOfAFailureInAStep) {
  workload(1).on("backward", kWarmUpSteps + 3 * 6 + 4, throw_planted);
  const std::string sentence = failure_of_run();
  EXPECT_THAT(sentence, AllOf(StartsWith("rank 1, arm "),
                              EndsWith(", window 3, step 4, phase backward: planted cause")));
  EXPECT_THAT(at(1).failures, ElementsAre(sentence));
  EXPECT_THAT(at(0).failures, IsEmpty()) << "rank 0 did not fail, it was ended";
}

TEST_F(RankProgramTest, KeepsEveryFinishedWindowOfAFailedRunOnDisk) {
  workload(1).on("backward", kWarmUpSteps + 3 * 6 + 4, throw_planted);
  failure_of_run();
  EXPECT_THAT(own_records_of(0).windows, SizeIs(3));
  EXPECT_THAT(own_records_of(1).windows, SizeIs(3));
}

TEST_F(RankProgramTest, NamesWarmUpAndSettleStepsToo) {
  workload(1).on("forward", 1, throw_planted);
  EXPECT_EQ(failure_of_run(),
            "rank 1, arm reference, warm-up, step 1, phase forward: planted cause");
  set_ranks(2);
  plan_.facts.arms[2].instrument = Instrument::kHost;
  workload(0).on("input_wait", kWarmUpSteps + 1, throw_planted);
  EXPECT_THAT(failure_of_run(), EndsWith(", window 0, step 1, phase input_wait: planted cause"));
}

TEST_F(RankProgramTest, NamesNoPhaseInABareArm) {
  plan_.facts.arms[0].instrument = Instrument::kNone;
  workload(1).on("backward", 0, throw_planted);
  EXPECT_EQ(failure_of_run(),
            "rank 1, arm reference, warm-up, step 0, outside any marked phase: planted cause");
}

TEST_F(RankProgramTest, NamesTheStageOfAFailureOutsideSteps) {
  workload(1).on("prepare", 1, throw_planted);
  EXPECT_EQ(failure_of_run(), "rank 1, arm shipped, preparation: planted cause");
  set_ranks(2);
  workload(1).on("begin", 3, throw_planted);
  EXPECT_THAT(failure_of_run(), EndsWith(", window 0, before the first step: planted cause"));
  set_ranks(2);
  workload(1).on("finish", 4, throw_planted);
  EXPECT_THAT(failure_of_run(), EndsWith(", window 0, completion of the steps: planted cause"));
  set_ranks(2);
  workload(1).on("end", 3, throw_planted);
  EXPECT_THAT(failure_of_run(), EndsWith(", window 0, after the last step: planted cause"));
  set_ranks(2);
  workload(1).on("parameters_digest", 0, throw_planted);
  EXPECT_EQ(failure_of_run(), "rank 1, gathering of the results: planted cause");
}

TEST_F(RankProgramTest, PassesOnWhatIsNoErrorOfOurs) {
  workload(0).on("forward", 0, [] { throw std::runtime_error("bad alloc, say"); });
  EXPECT_THAT(failure_of_run(), EndsWith("phase forward: bad alloc, say"));
  set_ranks(2);
  workload(0).on("forward", 0, [] { throw 42; });
  EXPECT_THAT(failure_of_run(), EndsWith("phase forward: an exception of unknown type"));
}

TEST_F(RankProgramTest, NamesTheFolderWhereItCannotWrite) {
  std::filesystem::remove_all(at_rank(1));
  std::ofstream(at_rank(1)) << "a file is in the way";
  EXPECT_THAT(failure_of_run(), AllOf(StartsWith("rank 1, start of the run: "), HasSubstr("raw")));
}

// Hangs one rank until the group has failed, as a stuck device would until the process is killed.
class HangingRankTest : public RankProgramTest {
 protected:
  void hang(int rank, const std::string& call, int occurrence) {
    workload(rank).on(call, occurrence, [this] {
      while (group_->failure().empty()) std::this_thread::yield();
    });
  }

  // Half a second is long for this work and short for a test.
  void set_step_timeout() { plan_.config.measure.step_timeout = Seconds(0.5); }
};

TEST_F(HangingRankTest, EndsAllRanksWhereOneHangsInAStep) {
  set_step_timeout();
  plan_.facts.arms[2].instrument = Instrument::kHost;
  hang(1, "backward", kWarmUpSteps + 2);
  EXPECT_THAT(failure_of_run(),
              AllOf(StartsWith("rank 1, arm "),
                    HasSubstr(", window 0, step 2, phase backward: no progress for 0.5"),
                    EndsWith(" s (measure.step_timeout)")));
  EXPECT_THAT(at(1).failures, SizeIs(1));
}

TEST_F(HangingRankTest, NamesTheRankThatHangsAndNotThoseThatWaitInEachStage) {
  const std::vector<std::pair<std::string, int>> stages = {
      {"begin", 3}, {"finish", 0}, {"finish", 4}, {"end", 3}, {"forward", 1}};
  for (const auto& [call, occurrence] : stages) {
    set_ranks(3);
    set_step_timeout();
    hang(2, call, occurrence);
    EXPECT_THAT(failure_of_run(), AllOf(StartsWith("rank 2, arm "), HasSubstr("no progress for")))
        << call;
  }
}

// As two ranks whose devices wait for each other's exchange.
TEST_F(HangingRankTest, EndsARunInWhichAllRanksHangAtTheEndOfAWindowAndAbortsTheirExchange) {
  set_step_timeout();
  hang(0, "finish", 4);
  hang(1, "finish", 4);
  EXPECT_THAT(failure_of_run(), AllOf(HasSubstr(", window 0, completion of the steps"),
                                      HasSubstr(": no progress for 0.6"),
                                      EndsWith(": all ranks wait for each other")));
  EXPECT_EQ(at(0).aborts + at(1).aborts, at(0).failures.size() + at(1).failures.size());
  EXPECT_GE(at(0).aborts + at(1).aborts, 1u);
}

TEST_F(HangingRankTest, GivesStagesOfUnknownLengthFiveTimesAsLong) {
  for (const char* call : {"prepare", "contract", "parameters_digest"}) {
    set_ranks(2);
    plan_.config.measure.step_timeout = Seconds(0.2);
    hang(1, call, 0);
    EXPECT_THAT(failure_of_run(), AllOf(StartsWith("rank 1, "), HasSubstr("no progress for 1"),
                                        EndsWith("(5 times measure.step_timeout)")))
        << call;
  }
}

TEST_F(RankProgramTest, StopsWhereTheResultsFolderVanishes) {
  workload(1).on("end", 4, [this] { std::filesystem::remove_all(at_rank(1)); });
  EXPECT_THAT(failure_of_run(), AllOf(StartsWith("rank 1, arm "), HasSubstr("window 1"),
                                      EndsWith("/rank1/raw has vanished")));
}

}  // namespace
}  // namespace traceml
