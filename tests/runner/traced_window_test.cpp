#include "harness/runner/traced_window.h"

#include <gmock/gmock.h>

#include "harness/backends/local/single_rank.h"
#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"
#include "tests/runner/fake_workload.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A collector that notes what it is told, and at which step.
class NotingTrace final : public ActivityTrace {
 public:
  explicit NotingTrace(FakeWorkload& workload) : workload_(workload) {}

  std::string name() const override { return "noting"; }
  void warm_up() override { note("warm_up"); }
  void begin() override {
    if (refuses) throw RunError("not permitted");
    note("begin");
  }
  TimelineEvents end() override {
    note("end");
    TimelineEvents events;
    events.threads.push_back({"0", "1", "training"});
    events.facts.own.emplace();
    events.facts.own->collector = name();
    return events;
  }
  std::int64_t stop() noexcept override { return 0; }

  std::vector<std::string> log;
  bool refuses = false;

 private:
  void note(const std::string& what) {
    log.push_back(what + " at " + std::to_string(workload_.calls_of("step")));
  }
  FakeWorkload& workload_;
};

// The same of operators.
class NotingOperators final : public OperatorTrace {
 public:
  explicit NotingOperators(FakeWorkload& workload) : workload_(workload) {}

  void begin(std::int64_t steps) override { note("begin of " + std::to_string(steps)); }
  OperatorEvents end() override {
    note("end");
    OperatorEvents events;
    events.names = {"aten::add"};
    events.threads = {{"0", "77", "pt_autograd_0"}};
    events.spans.emplace_back();
    return events;
  }

  std::vector<std::string> log;

 private:
  void note(const std::string& what) {
    log.push_back(what + " at " + std::to_string(workload_.calls_of("step")));
  }
  FakeWorkload& workload_;
};

class TracedWindowTest : public ::testing::Test {
 protected:
  TracedWindowTest() {
    plan_.facts.arms.resize(2);
    plan_.facts.arms[1].name = "shipped";
    plan_.facts.arms[1].queue_capacity = 6;
    plan_.trace = TracePlan{
        .arm = ArmIndex{1},
        .schedule = {.skip_first = 2, .wait = 1, .warmup = 2, .active = 3, .repeat = 2, .arm = ""}};
  }

  std::vector<RunTrace> run(ActivityTrace* activities, OperatorTrace* operators = nullptr) {
    TracedWindow window(plan_, 1s,
                        LoopPorts{workload_, transport_, clock_, nullptr, position_, wall_},
                        activities, operators);
    std::vector<RunTrace> traces = window.run(40);
    fault_ = window.fault();
    return traces;
  }

  static std::vector<std::string> ranges(const RunTrace& trace) {
    std::vector<std::string> names;
    for (const HostSpan& span : trace.events.host) names.push_back(trace.events.names[span.name]);
    return names;
  }

  Plan plan_;
  ManualClock clock_;
  HostClock* wall_ = nullptr;
  FakeWorkload workload_{clock_};
  SingleTransport transport_;
  Position position_;
  NotingTrace activities_{workload_};
  std::string fault_;
};

TEST_F(TracedWindowTest, TracesTheActiveStepsOfEachCycleAndWarmsUpBeforeThem) {
  run(&activities_);
  EXPECT_THAT(activities_.log, ElementsAre("warm_up at 3", "begin at 5", "end at 8", "warm_up at 9",
                                           "begin at 11", "end at 14"));
}

TEST_F(TracedWindowTest, NoWorkIsQueuedWhereTracingBeginsAndEnds) {
  run(&activities_);
  const std::vector<std::string> log = workload_.log();
  EXPECT_THAT(std::vector<std::string>(log.begin(), log.begin() + 12),
              ElementsAre("begin 40", "step", "step", "finish", "step", "finish", "step", "step",
                          "finish", "step", "step", "step"));
}

TEST_F(TracedWindowTest, EachCycleHasItsStepsAndPhasesAsRanges) {
  const std::vector<RunTrace> traces = run(&activities_);
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(ranges(traces[0]).front(), "ProfilerStep#5");
  EXPECT_EQ(ranges(traces[1]).front(), "ProfilerStep#11");
  const std::vector<std::string> first = ranges(traces[0]);
  EXPECT_THAT(std::vector<std::string>(first.begin(), first.begin() + 6),
              ElementsAre("ProfilerStep#5", "input_wait", "forward", "backward", "optimizer",
                          "ProfilerStep#6"));
  EXPECT_EQ(traces[0].steps.size(), 3u);
  EXPECT_EQ(traces[0].events.host[1].duration, 100us);
}

TEST_F(TracedWindowTest, SaysWhichArmCycleAndStepsItHolds) {
  const std::vector<RunTrace> traces = run(&activities_);
  const OwnTraceFacts& own = *traces[1].events.facts.own;
  EXPECT_EQ(own.arm, "shipped");
  EXPECT_EQ(own.cycle, 1);
  EXPECT_EQ(own.first_step, 11);
  EXPECT_EQ(own.queue_capacity, 6);
  EXPECT_EQ(own.collector, "noting");
}

TEST_F(TracedWindowTest, ACollectorThatRefusesIsAskedOnceAndTheStepsGoOn) {
  activities_.refuses = true;
  const std::vector<RunTrace> traces = run(&activities_);
  EXPECT_EQ(fault_, "not permitted");
  EXPECT_THAT(activities_.log, ElementsAre("warm_up at 3"));
  EXPECT_EQ(workload_.calls_of("step"), 14);
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].events.facts.own->collector, "");
  EXPECT_EQ(ranges(traces[0]).front(), "ProfilerStep#5");
}

TEST_F(TracedWindowTest, RecordsOperatorsOfTheActiveStepsAlone) {
  NotingOperators operators(workload_);
  const std::vector<RunTrace> traces = run(&activities_, &operators);
  EXPECT_THAT(operators.log,
              ElementsAre("begin of 3 at 5", "end at 8", "begin of 3 at 11", "end at 14"));
  ASSERT_EQ(traces.size(), 2u);
  for (const RunTrace& trace : traces) {
    ASSERT_EQ(trace.operators.size(), 1u);
    EXPECT_EQ(trace.events.names[trace.operators[0].name], "aten::add");
    EXPECT_EQ(trace.events.threads[trace.operators[0].thread].name, "pt_autograd_0");
  }
}

TEST_F(TracedWindowTest, OperatorsAreKeptWhereTheCollectorRefuses) {
  NotingOperators operators(workload_);
  activities_.refuses = true;
  EXPECT_EQ(run(&activities_, &operators).at(1).operators.size(), 1u);
}

TEST_F(TracedWindowTest, WithoutACollectorTheRangesAreKept) {
  const std::vector<RunTrace> traces = run(nullptr);
  EXPECT_THAT(fault_, IsEmpty());
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].events.threads.size(), 1u);
  EXPECT_EQ(traces[0].steps.size(), 3u);
}

TEST_F(TracedWindowTest, WithoutACollectorTheBaseTakesTimesToUnixTime) {
  const auto unix_time = [] {
    return std::chrono::duration_cast<Nanos>(std::chrono::system_clock::now().time_since_epoch());
  };
  const Nanos before = unix_time() - 1s;  // of clock_, less than a second passes
  for (const RunTrace& trace : run(nullptr)) {
    EXPECT_GE(trace.events.base, before);
    EXPECT_LE(trace.events.base, unix_time());
  }
  activities_.refuses = true;
  EXPECT_GE(run(&activities_).at(0).events.base, before);
}

TEST_F(TracedWindowTest, TheEpochOfAVirtualClockStands) {
  ManualClock real;
  wall_ = &real;
  EXPECT_EQ(run(nullptr).at(0).events.base, 0ns);
  wall_ = &clock_;
  EXPECT_GT(run(nullptr).at(0).events.base, 0ns);
}

TEST_F(TracedWindowTest, ATraceThatCannotBeWrittenIsToldAndCostsNothingElse) {
  const std::vector<RunTrace> traces = run(nullptr);
  const testing::TemporaryFolder folder;
  EXPECT_EQ(store_traces(traces, transport_, folder.path("trace")), "");
  folder.write("taken", "a file, where a folder should be");
  EXPECT_THAT(store_traces(traces, transport_, folder.path("taken")), HasSubstr("taken"));
}

TEST_F(TracedWindowTest, TheLoaderIsParkedAndNoRecordIsLeftForTheNextWindow) {
  run(&activities_);
  EXPECT_EQ(workload_.calls_of("end"), 1);
  EXPECT_EQ(workload_.calls_of("take_collectives"), 1);
}

}  // namespace
}  // namespace traceml
