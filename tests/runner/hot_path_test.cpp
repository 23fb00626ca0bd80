// Counts what the harness does on the training thread inside a window. A program of its own: its
// call_counts.cpp replaces operator new and pthread_mutex_lock.

#include <gmock/gmock.h>
#include <pthread.h>

#include "harness/backends/local/fake_device_clock.h"
#include "harness/backends/local/single_rank.h"
#include "harness/runner/step_loop.h"
#include "tests/runner/call_counts.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

// Marks its phases and does nothing else. Counting is on from the last call before the window to
// its completion.
class BareBones final : public Workload {
 public:
  void prepare(ArmIndex) override {}
  BatchContract contract(ArmIndex) override { return {}; }
  void begin(ArmIndex, std::int64_t, Instrument) override {}
  void step(PhaseMarks* marks) override {
    for (const Phase phase :
         {Phase::kInputWait, Phase::kForward, Phase::kLoss, Phase::kBackward, Phase::kOptimizer}) {
      enter(marks, phase);
    }
    leave(marks);
  }
  void finish() override { call_counts().on = false; }
  std::optional<std::int64_t> queue_depth() const override { return std::nullopt; }
  void mark_first_loss() override { call_counts().on = true; }
  WindowLosses end() override { return {}; }
  std::vector<CollectiveRecord> take_collectives() override { return {}; }
  DeviceQueue training_queue() const override { return {}; }
  std::optional<std::uint64_t> parameters_digest() override { return 0; }
  std::map<std::string, std::string> facts() const override { return {}; }
  std::map<std::string, std::int64_t> counters() const override { return {}; }
};

class HotPathTest : public testing::TestWithParam<Instrument> {};

TEST_P(HotPathTest, AllocatesNothingAndTakesNoLockInsideAWindow) {
  CampaignFacts facts;
  facts.settle_steps = 2;
  facts.steps_per_window = 200;
  facts.arms.resize(1);
  facts.arms[0].instrument = GetParam();
  ManualClock clock;
  FakeDeviceClock device(clock, 4096);
  BareBones workload;
  SingleTransport transport;
  Position position;
  StepLoop loop(facts, Nanos{0}, LoopPorts{workload, transport, clock, &device, position});
  loop.run({.index = {}, .arm = {}, .block = 0, .order = 0, .first_batch = 0});
  EXPECT_EQ(call_counts().allocations, 0);
  EXPECT_EQ(call_counts().locks, 0);
}

INSTANTIATE_TEST_SUITE_P(EachInstrument, HotPathTest,
                         testing::Values(Instrument::kNone, Instrument::kHost,
                                         Instrument::kEvents));

TEST(HotPathCountersTest, SeeAllocationsAndLocks) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  call_counts().on = true;
  ::operator delete(::operator new(16));
  pthread_mutex_lock(&mutex);
  call_counts().on = false;
  pthread_mutex_unlock(&mutex);
  EXPECT_GE(call_counts().allocations, 1);
  EXPECT_GE(call_counts().locks, 1);
  call_counts() = {};
}

}  // namespace
}  // namespace traceml
