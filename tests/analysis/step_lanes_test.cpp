#include "harness/analysis/step_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/analysis/trace_script.h"

namespace traceml::testing {
namespace {

LaneBar bar(double begin, double end, BarKind kind = BarKind::kKernel) {
  return {{us(begin), us(end)}, kind, 7, 1, us(end - begin)};
}

TEST(Thinned, KeepsFewBarsAsTheyAre) {
  const std::vector<LaneBar> bars = {bar(0, 1), bar(1, 2), bar(2, 3)};
  EXPECT_EQ(thinned(bars, 3, us(100)), bars);
}

TEST(Thinned, KeepsTheLongestAndMergesTheirNeighbours) {
  const auto kept = thinned({bar(0, 1), bar(2, 4), bar(5, 50), bar(51, 52)}, 1, us(60));
  const LaneBar rest{{us(0), us(52)}, BarKind::kKernel, std::nullopt, 3, us(4)};
  EXPECT_EQ(kept, (std::vector<LaneBar>{rest, bar(5, 50)}));
}

TEST(Thinned, ChoosesNoneOfBarsThatAreAsLong) {
  const auto kept = thinned({bar(0, 9), bar(10, 12), bar(13, 15), bar(16, 18)}, 2, us(60));
  const LaneBar rest{{us(10), us(18)}, BarKind::kKernel, std::nullopt, 3, us(6)};
  EXPECT_EQ(kept, (std::vector<LaneBar>{bar(0, 9), rest}));
}

TEST(Thinned, MergesNothingAcrossALongGap) {
  const auto kept = thinned({bar(0, 1), bar(11, 12), bar(21.5, 22)}, 0, us(10));
  // 10 us apart is not nearer than 10 us.
  EXPECT_EQ(kept, (std::vector<LaneBar>{
                      bar(0, 1), {{us(11), us(22)}, BarKind::kKernel, std::nullopt, 2, us(1.5)}}));
}

TEST(Thinned, MergesOneKindWithItself) {
  const auto kept = thinned({bar(0, 1), bar(1, 2, BarKind::kCopy), bar(2, 3)}, 0, us(10));
  const LaneBar kernels{{us(0), us(3)}, BarKind::kKernel, std::nullopt, 2, us(2)};
  EXPECT_EQ(kept, (std::vector<LaneBar>{kernels, bar(1, 2, BarKind::kCopy)}));
}

TEST(Thinned, LosesNoEventAndNoTime) {
  std::vector<LaneBar> bars;
  Nanos busy{0};
  for (int i = 0; i < 5000; ++i) {
    bars.push_back(bar(10.0 * i, 10.0 * i + 1 + i % 7));
    busy += bars.back().busy;
  }
  std::int64_t events = 0;
  const auto kept = thinned(bars, 300, us(100));
  for (const LaneBar& one : kept) {
    events += one.events;
    busy -= one.busy;
  }
  EXPECT_EQ(events, 5000);
  EXPECT_EQ(busy, us(0));
  EXPECT_LT(kept.size(), 1000U);
}

TEST(ChosenSteps, AreAllWhereTheyAreFew) {
  EXPECT_EQ(choose_steps({us(1), us(3), us(2)}, 3), (std::vector<std::size_t>{1, 2, 0}));
}

TEST(ChosenSteps, AreTheMostIdleAndOneThatIsIdleAsTheMedian) {
  const std::vector<Nanos> idle = {us(5), us(6), us(90), us(7), us(80), us(4), us(70)};
  EXPECT_EQ(choose_steps(idle, 3), (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_EQ(choose_steps(idle, 1), (std::vector<std::size_t>{2}));
}

TEST(ChosenSteps, NameNoStepTwice) {
  const std::vector<Nanos> idle = {us(3), us(2), us(1)};
  EXPECT_EQ(choose_steps(idle, 2), (std::vector<std::size_t>{0, 1}));
}

// Steps of one kernel of 100 us each; before that of the second the loader holds the main thread
// for 5 ms, with a second thread in the loader all the time.
TraceScript late_batch() {
  TraceScript script;
  for (int step = 0; step < 3; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step));
    script.span(HostKind::kAnnotation, "enumerate(DataLoader)#__next__", us(step == 1 ? 5000 : 10));
    script.on_stream("7").kernel("gemm", us(100));
    script.on_stream("20").kernel("ncclDevKernel_AllReduce", us(50));
    script.close();
  }
  script.on_thread("55").span(HostKind::kPython, "load_batch", us(5000));
  script.on_thread("66").span(HostKind::kPython, "heartbeat", us(5000));
  return script;
}

TraceLanes lanes_of(const TraceScript& script, const TraceOptions& options = {}) {
  const Timeline timeline = make_timeline(script.events());
  return step_lanes(timeline, explain_timeline(timeline, options, "a.json"), {});
}

const StepLanes& most_idle(const TraceLanes& lanes) {
  return *std::max_element(lanes.steps.begin(), lanes.steps.end(),
                           [](const auto& a, const auto& b) { return a.idle < b.idle; });
}

TEST(StepLanes, HaveStreamsThenThreadsThatLaunchOrLoad) {
  const TraceLanes lanes = lanes_of(late_batch());
  ASSERT_EQ(lanes.steps.size(), 3U);
  EXPECT_EQ(lanes.all_steps, 3);
  const StepLanes& step = most_idle(lanes);
  EXPECT_EQ(step.step, "ProfilerStep#1");
  std::vector<std::string> names;
  for (const Lane& lane : step.lanes) names.push_back(lane.name);
  EXPECT_EQ(names, (std::vector<std::string>{"7", "20", "main thread", "thread 55"}));
  EXPECT_TRUE(step.lanes[2].launches && step.lanes[2].loads);
  EXPECT_TRUE(!step.lanes[3].launches && step.lanes[3].loads);
  EXPECT_EQ(step.lanes[1].bars.back().kind, BarKind::kCommunication);
}

TEST(StepLanes, ShowTheLoaderOnTheThreadThatItHolds) {
  const TraceLanes lanes = lanes_of(late_batch());
  Nanos input{0};
  for (const LaneBar& one : most_idle(lanes).lanes[2].bars) {
    if (one.kind != BarKind::kInput) continue;
    input += one.busy;
    EXPECT_EQ(lanes.names[*one.name], "enumerate(DataLoader)#__next__");
  }
  EXPECT_GE(input, us(5000));
}

TEST(StepLanes, NameTheCauseOfALongGap) {
  const TraceLanes lanes = lanes_of(late_batch());
  const StepLanes& step = most_idle(lanes);
  ASSERT_EQ(step.gaps.size(), 1U);
  EXPECT_EQ(step.gaps[0].cause, IdleCause::kInput);
  EXPECT_EQ(lanes.names[step.gaps[0].after], "gemm");
  EXPECT_EQ(lanes.names[step.gaps[0].before], "gemm");  // the last to end
  EXPECT_GT(step.gaps[0].when.end - step.gaps[0].when.begin, us(4000));
  TraceOptions longer;
  longer.long_gap = us(9000);
  EXPECT_TRUE(lanes_of(late_batch(), longer).steps[1].gaps.empty());
}

TEST(StepLanes, ShareTheIdleTimeAmongTheSteps) {
  const Timeline timeline = make_timeline(late_batch().events());
  const TraceReport report = explain_timeline(timeline, {}, "a.json");
  Nanos idle{0};
  for (const StepLanes& step : step_lanes(timeline, report, {}).steps) idle += *step.idle;
  EXPECT_EQ(idle, report.devices[0].time.idle);
}

TEST(StepLanes, LieWithinTheirWindow) {
  for (const StepLanes& step : lanes_of(late_batch()).steps) {
    for (const Lane& lane : step.lanes) {
      for (const LaneBar& one : lane.bars) {
        EXPECT_GE(one.when.begin, us(0));
        EXPECT_LE(one.when.end, step.length);
        EXPECT_GT(one.busy, us(0));
      }
    }
    for (const LaneGap& gap : step.gaps) EXPECT_LE(gap.when.end, step.length);
  }
}

TEST(StepLanes, OfATraceWithoutStepsAreOne) {
  TraceScript script;
  script.kernel("gemm", us(100)).idle(us(3000)).kernel("gemm", us(100));
  const TraceLanes lanes = lanes_of(script);
  ASSERT_EQ(lanes.steps.size(), 1U);
  EXPECT_EQ(lanes.steps[0].step, "");
  EXPECT_EQ(lanes.steps[0].gaps.size(), 1U);
}

TEST(StepLanes, LeaveOutTheLanesWithTheLeastWork) {
  TraceScript script;
  script.open(HostKind::kAnnotation, "ProfilerStep#0");
  for (int stream = 0; stream < 5; ++stream) {
    script.on_stream(std::to_string(stream)).kernel("gemm", us(stream == 2 ? 1 : 100));
  }
  script.close();
  const Timeline timeline = make_timeline(script.events());
  const TraceReport report = explain_timeline(timeline, {}, "a.json");
  const StepLanes step = step_lanes(timeline, report, {.streams = 4}).steps.at(0);
  EXPECT_EQ(step.left_out_lanes, 1);
  for (const Lane& lane : step.lanes) EXPECT_NE(lane.name, "2");
}

TEST(StepLanes, KeepTheLongestGapsByTime) {
  TraceScript script;
  script.open(HostKind::kAnnotation, "ProfilerStep#0");
  for (const double pause : {2000.0, 9000.0, 3000.0, 5000.0}) {
    script.kernel("gemm", us(10)).idle(us(pause));
  }
  script.kernel("gemm", us(10)).close();
  const Timeline timeline = make_timeline(script.events());
  LaneLimits limits;
  limits.gaps = 2;
  const StepLanes step =
      step_lanes(timeline, explain_timeline(timeline, {}, "a.json"), limits).steps.at(0);
  ASSERT_EQ(step.gaps.size(), 2U);
  EXPECT_EQ(step.left_out_gaps, 2);
  EXPECT_GT(step.gaps[0].when.end - step.gaps[0].when.begin, us(8000));
  EXPECT_GT(step.gaps[1].when.begin, step.gaps[0].when.end);
  EXPECT_GT(step.gaps[1].when.end - step.gaps[1].when.begin, us(4000));
}

TEST(StepLanes, EndWhereThereAreEnoughBars) {
  const Timeline timeline = make_timeline(late_batch().events());
  const TraceReport report = explain_timeline(timeline, {}, "a.json");
  const TraceLanes lanes = step_lanes(timeline, report, {.bars = 1});
  ASSERT_EQ(lanes.steps.size(), 1U);
  EXPECT_EQ(lanes.steps[0].step, "ProfilerStep#1");
  EXPECT_EQ(lanes.all_steps, 3);
}

TEST(StepLanes, OfAnEmptyTraceAreNone) {
  EXPECT_TRUE(lanes_of(TraceScript()).steps.empty());
}

}  // namespace
}  // namespace traceml::testing
