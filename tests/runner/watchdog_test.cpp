#include "harness/runner/watchdog.h"

#include <gmock/gmock.h>

#include <future>
#include <stdexcept>

namespace traceml {
namespace {

using namespace std::chrono_literals;

PositionView at(Stage stage, std::int64_t step) {
  PositionView view;
  view.stage = stage;
  view.step = step;
  return view;
}

TEST(StallDetectorTest, FiresWhenTheStepHasNotChangedForTheLimit) {
  StallDetector detector(10s);
  EXPECT_FALSE(detector.stalled(at(Stage::kStep, 4), 0s));
  EXPECT_FALSE(detector.stalled(at(Stage::kStep, 4), 9s));
  EXPECT_TRUE(detector.stalled(at(Stage::kStep, 4), 10s));
}

TEST(StallDetectorTest, StartsAgainWithEachStep) {
  StallDetector detector(10s);
  for (int step = 0; step < 5; ++step) {
    EXPECT_FALSE(detector.stalled(at(Stage::kStep, step), step * 9s));
  }
}

TEST(StallDetectorTest, GivesThoseThatWaitMoreTimeThanTheOneThatHangs) {
  StallDetector detector(8s);
  EXPECT_FALSE(detector.stalled(at(Stage::kBarrier, 0), 0s));
  EXPECT_FALSE(detector.stalled(at(Stage::kBarrier, 0), 9s));
  EXPECT_TRUE(detector.stalled(at(Stage::kBarrier, 0), 10s));
}

TEST(StallDetectorTest, NeverFiresWhereNothingIsWatched) {
  StallDetector detector(1s);
  EXPECT_FALSE(detector.stalled(at(Stage::kUnwatched, 0), 0s));
  EXPECT_FALSE(detector.stalled(at(Stage::kUnwatched, 0), 1h));
  EXPECT_FALSE(detector.stalled(at(Stage::kStep, 0), 1h)) << "time before does not count";
}

TEST(WatchdogTest, ReportsWhereTheTrainingThreadIsStuckAndDropsWhatTheReportThrows) {
  Position position;
  position.enter_arm(ArmIndex{2}, WindowIndex{3});
  position.enter(Stage::kStep);
  position.at_step(4);
  std::promise<PositionView> seen;
  const Watchdog watchdog(position, 5ms, [&](const PositionView& view) {
    seen.set_value(view);
    throw std::runtime_error("cannot end the process");
  });
  const PositionView view = seen.get_future().get();
  EXPECT_EQ(view.arm, ArmIndex{2});
  EXPECT_EQ(view.window, WindowIndex{3});
  EXPECT_EQ(view.step, 4);
}

TEST(PositionTest, IsDescribedWithAllThatIsKnown) {
  Position position;
  const std::vector<std::string> arms = {"reference", "shipped"};
  EXPECT_EQ(describe(Rank{1}, position.view(), std::nullopt, arms), "rank 1");
  position.enter_arm(ArmIndex{1}, std::nullopt);
  EXPECT_EQ(describe(Rank{1}, position.view(), std::nullopt, arms), "rank 1, arm shipped");
  position.enter(Stage::kStep);
  position.at_step(4);
  EXPECT_EQ(describe(Rank{1}, position.view(), Phase::kH2d, arms),
            "rank 1, arm shipped, warm-up, step 4, phase h2d");
  position.enter_arm(ArmIndex{1}, WindowIndex{3});
  EXPECT_EQ(describe(Rank{1}, position.view(), Phase::kBackward, arms),
            "rank 1, arm shipped, window 3, step 4, phase backward");
  EXPECT_EQ(describe(Rank{1}, position.view(), std::nullopt, arms),
            "rank 1, arm shipped, window 3, step 4, outside any marked phase");
  position.enter(Stage::kBarrier);
  EXPECT_EQ(describe(Rank{0}, position.view(), std::nullopt, arms),
            "rank 0, arm shipped, window 3, waiting for the other ranks");
}

}  // namespace
}  // namespace traceml
