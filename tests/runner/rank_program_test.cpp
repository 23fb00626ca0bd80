#include "harness/runner/rank_program.h"

#include <fstream>

#include "tests/runner/rank_program_fixture.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST_F(RankProgramTest, RunsToALookAndStoresEveryRanksRecordsAtRankZero) {
  run();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(at(rank).outcome.finished);
    EXPECT_EQ(at(rank).outcome.failure, "");
    const auto blocks = static_cast<std::size_t>(at(rank).outcome.blocks);
    EXPECT_GE(blocks, 6u);
    const RankRecords records = records_of(rank);
    EXPECT_EQ(records.rank, Rank{rank});
    ASSERT_THAT(records.windows, SizeIs(3 * blocks));
    // Two instrumented arms: 3 warm-up steps each and 6 steps a window. The bare arm has no rows.
    EXPECT_THAT(records.steps, SizeIs(2 * (3 + 6 * blocks)));
    EXPECT_THAT(records.collectives, SizeIs(records.steps.size()));
    for (const StepRecord& step : records.steps) EXPECT_NE(step.arm, ArmIndex{2});
    for (const WindowRecord& window : records.windows) {
      EXPECT_EQ(window.end_host - window.start_host, 4ms);
    }
  }
}

TEST_F(RankProgramTest, StoresTheDeviceStatesOfARankWithAMonitorAroundEachWindow) {
  class Monitor final : public DeviceMonitor {
   public:
    DeviceState read() noexcept override {
      DeviceState state;
      state.temperature_c = 61;
      return state;
    }
  } monitor;
  at(1).monitor = &monitor;
  run();
  EXPECT_THAT(records_of(0).devices, IsEmpty());
  const RankRecords records = records_of(1);
  ASSERT_THAT(records.devices, SizeIs(2 * records.windows.size()));
  EXPECT_EQ(records.devices[1].window, records.windows[0].window);
  EXPECT_EQ(records.devices[1].when, DeviceWhen::kAfter);
  EXPECT_EQ(records.devices[1].temperature_c, 61);
  EXPECT_EQ(records.devices[1].power_w, std::nullopt);
}

TEST_F(RankProgramTest, GivesAllArmsOfABlockTheSameBatchesAndNewOnesInTheNext) {
  run();
  std::vector<std::string> begins;
  for (const std::string& call : workload(0).log()) {
    if (call.starts_with("begin")) begins.push_back(call);
  }
  const std::vector<std::string> warm_up(begins.begin(), begins.begin() + 3);
  const std::vector<std::string> two_blocks(begins.begin() + 3, begins.begin() + 9);
  EXPECT_THAT(warm_up, ElementsAre("begin 0", "begin 0", "begin 0"));
  EXPECT_THAT(two_blocks,
              ElementsAre("begin 0", "begin 0", "begin 0", "begin 6", "begin 6", "begin 6"));
}

TEST_F(RankProgramTest, RunsTheWindowsInTheSameOrderOnAllRanksAndTheReverseInTheNextBlock) {
  run();
  const auto order_of = [this](int rank) {
    std::vector<int> arms;
    for (const WindowRecord& window : records_of(rank).windows) arms.push_back(window.arm.value);
    return arms;
  };
  const std::vector<int> order = order_of(0);
  EXPECT_EQ(order, order_of(1));
  EXPECT_THAT(std::vector<int>(order.begin() + 3, order.begin() + 6),
              ElementsAre(order[2], order[1], order[0]));
}

TEST_F(RankProgramTest, PreparesArmsInOrderAndChecksContractsBeforeAnyStep) {
  run();
  const auto& log = workload(1).log();
  EXPECT_THAT(std::vector<std::string>(log.begin(), log.begin() + 7),
              ElementsAre("prepare 0", "contract 0", "prepare 1", "contract 1", "prepare 2",
                          "contract 2", "begin 0"));
  EXPECT_THAT(at(0).outcome.equal_by_design, ElementsAre(Pair("shipped", HasSubstr("no JPEG"))));
}

TEST_F(RankProgramTest, RefusesAReferenceWithAnotherBatchBeforeAnyStep) {
  BatchContract bytes;
  bytes.dtype = "uint8";
  BatchContract floats;
  floats.dtype = "float32";
  for (int rank = 0; rank < 2; ++rank) {
    workload(rank).set_contract(ArmIndex{1}, bytes);
    workload(rank).set_contract(ArmIndex{0}, floats);
  }
  EXPECT_THAT(failure_of_run(),
              HasSubstr("arm shipped, preparation: the first batch of arm shipped has dtype "
                        "uint8, that of its reference reference has float32"));
  EXPECT_EQ(workload(0).calls_of("step"), 0);
}

TEST_F(RankProgramTest, RefusesRanksWithAnotherConfigBuildOrPlan) {
  other_plans_[1] = plan_;
  other_plans_[1].config.seed = 8;
  EXPECT_THAT(failure_of_run(), HasSubstr("rank 1 holds another config than rank 0"));

  set_ranks(3);
  other_plans_.clear();
  at(1).options.build = at(2).options.build = "0.1.0 def";
  EXPECT_THAT(failure_of_run(), HasSubstr("ranks 1, 2 hold another build than rank 0"));

  set_ranks(2);
  other_plans_[1] = plan_;
  other_plans_[1].facts.steps_per_window = 8;
  EXPECT_THAT(failure_of_run(), HasSubstr("rank 1 holds another plan than rank 0"));
}

TEST_F(RankProgramTest, SaysThatRanksEndedWithEqualParameters) {
  run();
  EXPECT_THAT(at(1).outcome.notes, Contains(HasSubstr("all 2 ranks held bit-equal")));
}

TEST_F(RankProgramTest, FailsOnAllRanksButKeepsTheFilesWhereParametersDiffer) {
  workload(1).set_digest(43);
  run();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_FALSE(at(rank).outcome.finished);
    EXPECT_THAT(at(rank).outcome.failure, HasSubstr("rank 1 ended with other parameters"));
  }
  EXPECT_THAT(records_of(1).windows, Not(IsEmpty()));
}

TEST_F(RankProgramTest, LeavesAnArmOutOfLaterBlocksOnceNoOpenGateNeedsIt) {
  plan_.facts.looks = {6, 10};
  plan_.facts.max_blocks = 10;
  GateSpec closes;  // equal arms: passes at the first look
  closes.name = "shipped against reference";
  closes.candidate = ArmIndex{1};
  closes.baseline = ArmIndex{0};
  closes.delta = 0.10;
  GateSpec stays_open = closes;  // exactly on its margin: never decided
  stays_open.name = "shipped/none against reference";
  stays_open.candidate = ArmIndex{2};
  plan_.facts.gates = {closes, stays_open};
  for (int rank = 0; rank < 2; ++rank) workload(rank).slow_arm(ArmIndex{2}, 100us);  // of 1 ms
  run();
  EXPECT_EQ(at(1).outcome.blocks, 10);
  std::map<int, int> windows;
  for (const WindowRecord& window : records_of(1).windows) ++windows[window.arm.value];
  EXPECT_EQ(windows[0], 10);
  EXPECT_EQ(windows[1], 6);
  EXPECT_EQ(windows[2], 10);
}

TEST_F(RankProgramTest, StopsAtALookWhereEveryGateIsClosed) {
  plan_.facts.looks = {6, 10};
  plan_.facts.max_blocks = 10;
  GateSpec gate;
  gate.candidate = ArmIndex{1};
  gate.baseline = ArmIndex{0};
  gate.delta = 0.10;
  plan_.facts.gates = {gate};
  // Rank 1 is the slow one: the decision needs its windows, and rank 0 alone sees them.
  workload(1).slow_arm(ArmIndex{1}, 500us);
  run();
  EXPECT_EQ(at(0).outcome.blocks, 6);
  EXPECT_EQ(at(1).outcome.blocks, 6);
  EXPECT_TRUE(at(1).outcome.finished);
}

TEST_F(RankProgramTest, SumsCountersOnRankZero) {
  run();
  EXPECT_EQ(at(0).outcome.counters.at("samples_replaced"), 4);
  EXPECT_EQ(at(0).outcome.counters.at("step_records_dropped"), 0);
  EXPECT_THAT(at(1).outcome.counters, IsEmpty());
}

TEST_F(RankProgramTest, NamesReplacedFilesOfAllRanksOnce) {
  run();
  EXPECT_THAT(at(0).outcome.notes,
              testing::Contains(testing::EndsWith(": a/1.jpg is empty; b/2.jpg is truncated")));
}

TEST_F(RankProgramTest, EndsAllRanksAtTheTimeLimitAfterAWholeWindowAndNamesIt) {
  plan_.config.measure.time_limit = Seconds(0.030);  // warm-up 9 ms, a window 6 ms
  run();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_FALSE(at(rank).outcome.finished);
    EXPECT_EQ(at(rank).outcome.blocks, 1);
    EXPECT_THAT(at(rank).outcome.failure,
                HasSubstr("time limit of 0.03 s (measure.time_limit) was reached after 1 of"));
    EXPECT_THAT(records_of(rank).windows, SizeIs(4));
  }
}

TEST_F(RankProgramTest, HasFinishedWhereTheTimeLimitPassesInTheBlockThatEndsTheRun) {
  workload(0).on("end", 3 + 6 * 3 - 1, [this] { at(0).clock.advance(1h); });
  plan_.config.measure.time_limit = Seconds(3600);
  run();
  EXPECT_TRUE(at(0).outcome.finished);
  EXPECT_EQ(at(0).outcome.failure, "");
}

TEST_F(RankProgramTest, LetsRankZeroAloneDecideOnTheTimeLimit) {
  plan_.config.measure.time_limit = Seconds(10);
  workload(1).on("end", 4, [this] { at(1).clock.advance(1h); });
  run();
  EXPECT_TRUE(at(0).outcome.finished);
  EXPECT_TRUE(at(1).outcome.finished);
}

TEST_F(RankProgramTest, TellsRankZeroOfEachWindow) {
  class Sink final : public ProgressSink {
   public:
    void on_warm_up(const std::string& arm) override { warm_ups.push_back(arm); }
    void on_window(const WindowProgress& progress) override { windows.push_back(progress); }
    std::vector<std::string> warm_ups;
    std::vector<WindowProgress> windows;
  } sink;
  at(0).options.progress = &sink;
  at(1).options.progress = &sink;  // must not be used
  run();
  EXPECT_THAT(sink.warm_ups, ElementsAre("reference", "shipped", "shipped/none"));
  ASSERT_THAT(sink.windows, SizeIs(3 * static_cast<std::size_t>(at(0).outcome.blocks)));
  EXPECT_EQ(sink.windows[4].block, 1);
  EXPECT_EQ(sink.windows[4].order, 1);
  EXPECT_EQ(sink.windows[4].windows_in_block, 3);
  EXPECT_GT(sink.windows[4].elapsed, sink.windows[3].elapsed);
}

TEST_F(RankProgramTest, SendsNothingThatASharedFolderAlreadyHolds) {
  at(1).options.own_raw_dir = at_rank(0);
  run();
  EXPECT_THAT(records_of(1).windows, Not(IsEmpty()));
  EXPECT_THAT(ranks_in(at_rank(1)), IsEmpty());
}

TEST_F(RankProgramTest, ReportsTheCountersOfTheDeviceClock) {
  set_ranks(1);
  FakeDeviceClock device(at(0).clock, device_marks_needed(plan_));
  FakeWorkload workload(at(0).clock, &device);
  at(0).options.min_device_warm_up = Seconds(0);
  group_->run([&](Transport& transport, Collective&) {
    RunWatch watch(transport, roll_of(0));
    at(0).outcome =
        run_rank(plan_, at(0).options, watch, workload, transport, at(0).clock, &device);
  });
  const auto& counters = at(0).outcome.counters;
  EXPECT_EQ(counters.at("events_created"), device_marks_needed(plan_));
  EXPECT_EQ(counters.at("events_exhausted"), 0);
  EXPECT_EQ(counters.at("events_unresolved"), 0);
  EXPECT_GT(counters.at("events_reused"), 0);
  for (const StepRecord& step : records_of(0).steps) {
    EXPECT_TRUE(step.phases[index_of(Phase::kTraced)]->device.has_value());
  }
}

}  // namespace
}  // namespace traceml
