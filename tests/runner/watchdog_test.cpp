#include "harness/runner/watchdog.h"

#include <gmock/gmock.h>

#include <future>
#include <stdexcept>

#include "harness/runner/watched_ports.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::Optional;

constexpr Nanos kLimit = 8s;

Sight at(Stage stage, std::int64_t step = 0) {
  Sight sight;
  sight.view.stage = stage;
  sight.view.step = step;
  return sight;
}

Sight waiting(Stage stage = Stage::kBarrier, std::int64_t meetings = 1) {
  Sight sight = at(stage);
  sight.view.waiting = true;
  sight.view.meetings = meetings;
  return sight;
}

// Looks once a second at ranks whose processes live, rank 0's view.
class Watched {
 public:
  explicit Watched(bool complete = true) : detector_(0, complete) {}

  // The first stall and the second in which it is seen, within `seconds`.
  std::optional<std::pair<int, Stall>> first_stall(std::vector<Sight> sights, int seconds,
                                                   std::vector<std::size_t> lifeless = {}) {
    for (int i = 0; i <= seconds; ++i, now_ += 1s) {
      for (std::size_t rank = 0; rank < sights.size(); ++rank) {
        const bool lives = std::find(lifeless.begin(), lifeless.end(), rank) == lifeless.end();
        if (lives) ++sights[rank].signs_of_life;
      }
      if (const auto stall = detector_.look(sights, now_, kLimit)) return std::pair(i, *stall);
    }
    return std::nullopt;
  }

  std::optional<Stall> look(const std::vector<Sight>& sights, Nanos now) {
    return detector_.look(sights, now, kLimit);
  }

  std::size_t slowest(const std::vector<Sight>& sights) { return detector_.slowest(sights); }

 private:
  StallDetector detector_;
  Nanos now_ = 100s;
};

TEST(StallDetectorTest, FiresWhenTheStepHasNotChangedForTheLimit) {
  EXPECT_THAT(Watched().first_stall({at(Stage::kStep, 4)}, 20),
              Optional(std::pair(8, Stall{0, StallKind::kStuck, 8s})));
}

TEST(StallDetectorTest, StartsAgainWithEachStep) {
  Watched watched;
  for (int step = 0; step < 5; ++step) {
    EXPECT_FALSE(watched.first_stall({at(Stage::kStep, step)}, 7)) << step;
  }
}

TEST(StallDetectorTest, WatchesSlowStagesToo) {
  for (const Stage stage :
       {Stage::kStart, Stage::kPrepare, Stage::kStore, Stage::kConclude, Stage::kReport}) {
    EXPECT_THAT(Watched().first_stall({at(stage)}, 99),
                Optional(std::pair(40, Stall{0, StallKind::kStuck, 40s})));
  }
}

TEST(StallDetectorTest, LeavesItToTheRankThatHangsToSaySo) {
  Watched rank_0;
  EXPECT_FALSE(rank_0.first_stall({waiting(), at(Stage::kStep)}, 9));
}

TEST(StallDetectorTest, NamesTheRankThatHangsWhereThatOneSaysNothing) {
  EXPECT_THAT(Watched().first_stall({waiting(), at(Stage::kStep), waiting()}, 20),
              Optional(std::pair(10, Stall{1, StallKind::kStuck, 10s})));
}

TEST(StallDetectorTest, WaitsForARankInASlowStage) {
  EXPECT_THAT(Watched().first_stall({waiting(), at(Stage::kPrepare)}, 99),
              Optional(std::pair(50, Stall{1, StallKind::kStuck, 50s})));
}

TEST(StallDetectorTest, WaitsForARankThatMoves) {
  Watched watched;
  for (int step = 0; step < 20; ++step) {
    EXPECT_FALSE(watched.first_stall({waiting(), at(Stage::kStep, step)}, 2)) << step;
  }
}

TEST(StallDetectorTest, NamesARankWhoseProcessDoesNotRunWhereverItIs) {
  EXPECT_THAT(Watched().first_stall({at(Stage::kPrepare), waiting()}, 20, {1}),
              Optional(std::pair(8, Stall{1, StallKind::kStopped, 8s})));
}

TEST(StallDetectorTest, NamesARankThatHasGone) {
  Watched watched;
  std::vector<Sight> sights = {waiting(), at(Stage::kStep)};
  EXPECT_FALSE(watched.look(sights, 1s));
  sights[1].exists = false;
  EXPECT_FALSE(watched.look(sights, 2s)) << "the launcher may say more";
  EXPECT_THAT(watched.look(sights, 3s), Optional(Stall{1, StallKind::kGone, 2s}));
}

TEST(StallDetectorTest, DoesNotMissARankThatIsNotWatched) {
  Sight left = at(Stage::kStep);
  left.watched = false;
  EXPECT_THAT(Watched().first_stall({waiting(), left}, 20),
              Optional(std::pair(10, Stall{0, StallKind::kDeadlocked, 10s})));
}

TEST(StallDetectorTest, NamesTheRankWithTheFewestMeetingsWhereAllWait) {
  const std::vector<Sight> sights = {waiting(Stage::kStep, 7), waiting(Stage::kStep, 5),
                                     waiting(Stage::kStep, 6)};
  EXPECT_THAT(Watched().first_stall(sights, 20),
              Optional(std::pair(10, Stall{1, StallKind::kBehind, 10s})));
}

TEST(StallDetectorTest, HasMorePatienceWithRanksThatItCannotSee) {
  EXPECT_THAT(Watched(false).first_stall({waiting()}, 99),
              Optional(std::pair(50, Stall{0, StallKind::kDeadlocked, 50s})));
}

TEST(StallDetectorTest, SaysNothingAfterAPauseOfItsOwnProcess) {
  Watched watched;
  EXPECT_FALSE(watched.look({at(Stage::kStep), at(Stage::kStep)}, 10s));
  EXPECT_FALSE(watched.look({at(Stage::kStep), at(Stage::kStep)}, 1000s));
}

TEST(StallDetectorTest, FindsTheSlowestAmongThoseThatDoNotWait) {
  Watched watched;
  watched.look({at(Stage::kStep), at(Stage::kStep, 1), waiting()}, 1s);
  const std::vector<Sight> sights = {at(Stage::kStep, 1), at(Stage::kStep, 1), waiting()};
  watched.look(sights, 2s);
  EXPECT_EQ(watched.slowest(sights), 1U);
}

TEST(WatchdogTest, ReportsWhereTheTrainingThreadIsStuckAndDropsWhatTheReportThrows) {
  Position position;
  std::promise<Stall> seen;
  const Watchdog watchdog({{{Rank{3}, &position}}, 0, true}, {5ms, std::nullopt},
                          {[&](const Stall& stall) {
                             seen.set_value(stall);
                             throw std::runtime_error("cannot end the process");
                           },
                           {}});
  const Stall stall = seen.get_future().get();
  EXPECT_EQ(stall.kind, StallKind::kStuck);
  EXPECT_GE(stall.still, 25ms);
  EXPECT_GT(position.process(), 0);
}

TEST(WatchdogTest, ReportsADeadlineThatHasPassed) {
  Position position;
  std::promise<std::size_t> late;
  Watchdog watchdog({{{Rank{0}, &position}}, 0, true}, {1h, std::nullopt},
                    {{}, [&](std::size_t who) { late.set_value(who); }});
  watchdog.set_limits({1h, steady_now()});
  EXPECT_EQ(late.get_future().get(), 0U);
}

TEST(PositionTest, IsDescribedWithAllThatIsKnown) {
  Position position;
  const std::vector<std::string> arms = {"reference", "shipped"};
  const auto text = [&] { return describe(Rank{1}, position.view(), arms); };
  EXPECT_EQ(text(), "rank 1, start of the run");
  position.enter_arm(ArmIndex{1}, std::nullopt);
  position.enter(Stage::kPrepare);
  EXPECT_EQ(text(), "rank 1, arm shipped, preparation");
  position.enter(Stage::kStep);
  position.at_step(4);
  position.phase() = 1 + static_cast<int>(Phase::kH2d);
  EXPECT_EQ(text(), "rank 1, arm shipped, warm-up, step 4, phase h2d");
  position.enter_arm(ArmIndex{1}, WindowIndex{3});
  EXPECT_EQ(text(), "rank 1, arm shipped, window 3, step 4, phase h2d");
  position.phase() = 0;
  EXPECT_EQ(text(), "rank 1, arm shipped, window 3, step 4, outside any marked phase");
  position.begin_wait();
  position.enter(Stage::kBarrier);
  EXPECT_EQ(text(), "rank 1, arm shipped, window 3, waiting for the other ranks");
  position.end_wait();
  position.leave_arm();
  position.enter(Stage::kConclude);
  EXPECT_EQ(text(), "rank 1, gathering of the results");
}

TEST(PositionTest, OfZeroBytesIsThatOfANewOne) {
  alignas(Position) std::array<std::byte, sizeof(Position)> zeros{};
  const Position made;
  const auto* untouched = reinterpret_cast<const Position*>(zeros.data());
  EXPECT_EQ(untouched->view(), made.view());
  EXPECT_EQ(untouched->process(), 0);
}

class EndlessCollective final : public Collective {
 public:
  explicit EndlessCollective(Position& position) : position_(position) {}
  void all_reduce_mean(const BucketView&) override {}
  void wait(DeviceQueue) override { seen_ = position_.view(); }
  void set_recording(bool) override {}
  std::vector<CollectiveRecord> take_records() override { return {}; }
  const char* name() const override { return "endless"; }
  PositionView seen_;

 private:
  Position& position_;
};

TEST(WatchedCollectiveTest, ShowsThatItWaitsForOthersInsideAStep) {
  Position position;
  position.enter(Stage::kStep);
  EndlessCollective inner(position);
  WatchedCollective watched(inner, position);
  watched.wait({});
  EXPECT_TRUE(inner.seen_.waiting);
  EXPECT_EQ(inner.seen_.meetings, 1);
  EXPECT_FALSE(position.view().waiting);
}

}  // namespace
}  // namespace traceml
