#include "harness/app/lost_launches.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "harness/codec/run_info.h"
#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

LostLaunch lost(int number, bool by_itself) {
  return {number, by_itself ? "rank 0: thrown" : "interrupted", by_itself, false};
}

class LostLaunches : public ::testing::Test {
 protected:
  LostLaunches() { fs::create_directories(out() + "/launches"); }

  const std::string& out() const { return folder_.path(); }
  std::string dir(const std::string& name) const { return out() + "/launches/" + name; }

  // A launch that failed while the campaign went on.
  void fail(const std::string& name, const std::string& cause) {
    fs::create_directories(dir(name) + "/raw");
    record_failure(dir(name), cause);
  }

  traceml::testing::TemporaryFolder folder_;
};

TEST_F(LostLaunches, AreThoseSetAsideAndTheOneThatFailedLast) {
  fail("0002", "rank 1: thrown\n");
  EXPECT_EQ(set_launch_aside(dir("0002")), "0002.unfinished-1");
  fs::create_directories(dir("0002") + "/raw");  // killed
  EXPECT_EQ(set_launch_aside(dir("0002")), "0002.unfinished-2");
  fs::create_directories(dir("0003") + "/raw");  // finished, or at work
  fail("0004", "mpirun ended with exit code 1: no node called fast7");
  const std::vector<LostLaunch> all = lost_launches(out());
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_TRUE(all[0].by_itself);
  EXPECT_FALSE(all[1].by_itself);
  EXPECT_TRUE(all[2].by_itself);
  EXPECT_FALSE(timed_out_launch(all));
  EXPECT_EQ(describe_lost(all),
            "3 launches did not finish and count for nothing: launch 2 (interrupted); launch 2 "
            "(rank 1: thrown); launch 4 (mpirun ended with exit code 1)");
}

TEST_F(LostLaunches, StoppedByASignalAreNoFailures) {
  fail("0001", "rank 0 in window 3: stopped by SIGTERM");
  EXPECT_FALSE(lost_launches(out()).at(0).by_itself);
}

TEST_F(LostLaunches, NameTheLimitThatEndedOneEvenWhereTheCampaignWasKilledWithIt) {
  for (const char* cause :
       {"the time limit of 2 s (measure.time_limit) was reached after 1 of at most 4 blocks",
        "rank 0: no progress for 1.2 s (measure.step_timeout)",
        "rank 1: no progress for 1.2 s, while others wait for it further on",
        "mpirun took longer than its 500 s"}) {
    SCOPED_TRACE(cause);
    fail("0001", cause);
    ASSERT_TRUE(timed_out_launch(lost_launches(out())));
  }
  fs::remove(dir("0001.failure"));
  EXPECT_THAT(lost_launches(out()), IsEmpty());
  folder_.write("launches/0001/raw/failure_rank_0000.txt",
                "rank 0: the time limit of 2 s (measure.time_limit) was reached here\n");
  const auto late = timed_out_launch(lost_launches(out()));
  ASSERT_TRUE(late);
  EXPECT_EQ(describe_timed_out(*late),
            "launch 1 was ended by a limit of time (rank 0: the time limit of 2 s "
            "(measure.time_limit) was reached here)");
}

// A signal may come when the windows are all stored and reports are being written.
TEST_F(LostLaunches, AreNotThoseThatFinishedBeforeTheyWereStopped) {
  RunInfo info;
  info.finished = true;
  fs::create_directories(dir("0001/raw"));
  write_run_info(dir("0001/raw/run_info.json"), info);
  folder_.write("launches/0001/raw/failure_rank_0000.txt",
                "rank 0, the report: stopped by SIGTERM\n");
  EXPECT_THAT(lost_launches(out()), IsEmpty());
  info.finished = false;
  write_run_info(dir("0001/raw/run_info.json"), info);
  EXPECT_EQ(lost_launches(out()).size(), 1U);
}

TEST_F(LostLaunches, CannotBeTakenAwayBeforeALaterOne) {
  for (int i = 0; i < 2; ++i) {
    fail("0001", "rank 0: thrown");
    set_launch_aside(dir("0001"));
  }
  fs::remove_all(dir("0001.unfinished-1"));
  EXPECT_THAT([&] { lost_launches(out()); },
              ThrowsMessage<RunError>(HasSubstr("0001.unfinished-1 is missing")));
}

TEST_F(LostLaunches, LetNothingPassWhereMoreThanAQuarterFailed) {
  const std::vector<LostLaunch> one = {lost(1, true), lost(2, false), lost(3, false)};
  EXPECT_EQ(too_many_failed(one, 6), "");
  EXPECT_EQ(too_many_failed({lost(1, true), lost(2, true)}, 8), "");
  EXPECT_THAT(too_many_failed({lost(1, true), lost(2, true)}, 6),
              HasSubstr("2 launches failed and were measured again, more than a quarter of the 6"));
}

}  // namespace
}  // namespace traceml
