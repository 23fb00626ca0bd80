#include "workloads/spin/spin_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "harness/backends/local/single_rank.h"
#include "harness/core/error.h"
#include "harness/runner/step_loop.h"
#include "tests/workloads/spin/spin_plan.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::Settings;
using testing::spin_plan;

constexpr ArmIndex kPlain{0};
constexpr ArmIndex kPlanted{1};

// One rank of a simulated world, run by the real step loop.
class VirtualRank {
 public:
  VirtualRank(int ranks, Rank rank, const std::string& plant, const Settings& settings = {})
      : plan_(spin_plan(ranks, plant, settings)),
        table_(plan_),
        world_(ranks, 0ns),
        clock_(world_, rank),
        transport_(single_, world_),
        device_(1000),
        pace_(make_virtual_pace(world_, table_, rank, &device_)),
        workload_(plan_, rank, table_, *pace_, &device_),
        loop_(plan_.facts, 5ms,
              LoopPorts{workload_, transport_, clock_, &device_, position_, &ticking_}) {
    std::optional<int> rounds = 1;
    for (const ArmIndex arm : {kPlain, kPlanted}) loop_.warm_up(arm, rounds, 0ns);
  }

  Measured window(ArmIndex arm, std::int64_t index) {
    return loop_.run({.index = {index}, .arm = arm, .block = 0, .order = 0, .first_batch = 0});
  }

  std::uint64_t digest() const { return world_.digest(); }
  std::map<std::string, std::int64_t> counters() const { return loop_.counters(); }

 private:
  // So that drains end though nothing happens.
  class TickingClock final : public HostClock {
   public:
    Nanos now() noexcept override { return now_ += 1ms; }

   private:
    Nanos now_{};
  };

  Plan plan_;
  StepTimeTable table_;
  VirtualWorld world_;
  VirtualHostClock clock_;
  SingleTransport single_;
  VirtualTransport transport_;
  VirtualDeviceClock device_;
  std::unique_ptr<Pace> pace_;
  SpinWorkload workload_;
  TickingClock ticking_;
  Position position_;
  StepLoop loop_;
};

Nanos wall(const Measured& measured) {
  return measured.window->end_host - measured.window->start_host;
}

DualTime time_of(const StepRecord& step, Phase phase) {
  return step.phases[index_of(phase)].value();
}

TEST(SpinStep, takes_the_written_times_on_both_clocks) {
  VirtualRank rank(1, Rank{0}, "[]");
  const Measured measured = rank.window(kPlain, 0);
  EXPECT_EQ(wall(measured), 16 * 5200us);
  ASSERT_EQ(measured.steps.size(), 24u);
  for (const StepRecord& step : measured.steps) {
    EXPECT_EQ(time_of(step, Phase::kForward), (DualTime{1500us, 1500us}));
    EXPECT_EQ(time_of(step, Phase::kBackward), (DualTime{2500us, 2500us}));
    EXPECT_EQ(time_of(step, Phase::kTraced), (DualTime{5000us, 5000us}));
    EXPECT_FALSE(step.phases[index_of(Phase::kDecode)]);
  }
}

TEST(SpinStep, of_every_rank_ends_with_the_latest_one_at_the_all_reduce) {
  const std::string plant = "[{delay: {rank: 1, ms: 3}}]";
  for (const Rank rank : {Rank{0}, Rank{1}, Rank{2}}) {
    VirtualRank one(3, rank, plant);
    const Measured measured = one.window(kPlanted, 0);
    EXPECT_EQ(wall(measured), 16 * 8200us) << rank.value;
    ASSERT_EQ(measured.collectives.size(), 24u);
    for (const CollectiveRecord& record : measured.collectives) {
      const Nanos waited = *record.start - *record.arrival;
      EXPECT_EQ(waited, rank == Rank{1} ? 0ms : 3ms);
      EXPECT_EQ(*record.end - *record.start, 400us);
    }
  }
}

TEST(SpinRanks, simulate_the_same_world) {
  const Settings noisy = {{"workload.noise", "5%"}};
  const std::string plant =
      "[{slowdown: 5%}, {drift: 6%}, {stall: {every: 8, ms: 2, phase: h2d}}, "
      "{delay: {rank: 1, ms: 3, every: 2}}, {untracked: {ms: 1}}]";
  std::vector<std::uint64_t> digests;
  for (int rank = 0; rank < 3; ++rank) {
    VirtualRank one(3, Rank{rank}, plant, noisy);
    one.window(kPlanted, 0);
    one.window(kPlain, 1);
    digests.push_back(one.digest());
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[0], digests[2]);
}

TEST(SpinRun, is_equal_when_repeated) {
  const Settings noisy = {{"workload.noise", "5%"}};
  VirtualRank first(2, Rank{1}, "[]", noisy);
  VirtualRank second(2, Rank{1}, "[]", noisy);
  const Measured a = first.window(kPlain, 0);
  const Measured b = second.window(kPlain, 0);
  EXPECT_EQ(a.window, b.window);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.collectives, b.collectives);
}

TEST(UntrackedCost, lies_between_a_step_and_the_next) {
  VirtualRank rank(1, Rank{0}, "[{untracked: {ms: 1}}]");
  const Measured measured = rank.window(kPlanted, 0);
  EXPECT_EQ(wall(measured), 16 * 6200us);
  EXPECT_EQ(time_of(measured.steps[0], Phase::kTraced).host, 5000us);
  EXPECT_EQ(measured.steps[1].start_host - measured.steps[0].start_host, 6200us);
}

TEST(LostEvent, leaves_its_phase_and_the_next_without_a_device_time) {
  VirtualRank rank(1, Rank{0}, "[{lost_event: {rank: 0, step: 17, phase: forward}}]");
  const Measured measured = rank.window(kPlanted, 0);
  for (const StepRecord& step : measured.steps) {
    const bool lost = step.step.value == 17;
    EXPECT_EQ(time_of(step, Phase::kForward).device.has_value(), !lost) << step.step.value;
    EXPECT_EQ(time_of(step, Phase::kBackward).device.has_value(), !lost) << step.step.value;
    EXPECT_TRUE(time_of(step, Phase::kInputWait).device) << step.step.value;
    EXPECT_TRUE(time_of(step, Phase::kTraced).device) << step.step.value;
    EXPECT_EQ(time_of(step, Phase::kForward).host, 1500us) << step.step.value;
  }
  EXPECT_EQ(rank.counters().at("events_unresolved"), 1);
}

TEST(ThrownFault, leaves_the_step_in_its_phase) {
  VirtualRank rank(1, Rank{0}, "[{fault: {rank: 0, window: 1, step: 3, phase: loss, how: throw}}]",
                   {{"workload.phases_ms.loss", "0.1"}});
  rank.window(kPlanted, 0);
  EXPECT_THROW(rank.window(kPlanted, 1), RunError);
}

// A clock that moves a little with each look, so that busy waits end.
class CountingClock final : public HostClock {
 public:
  Nanos now() noexcept override { return Nanos{now_ += 7000}; }

 private:
  std::atomic<std::int64_t> now_{0};
};

TEST(RealPace, waits_on_the_host_and_gives_the_device_the_planned_times) {
  const Plan plan = spin_plan(1, "[]", {{"workload.clock", "real"}});
  const StepTimeTable table(plan);
  CountingClock clock;
  SingleCollective collective;
  SingleTransport transport;
  VirtualDeviceClock device(1000);
  VirtualWorld world(1, 0ns);
  const auto pace = make_real_pace(world, table, Rank{0}, &device, clock, collective);
  SpinWorkload workload(plan, Rank{0}, table, *pace, &device);
  Position position;
  StepLoop loop(plan.facts, 5ms, LoopPorts{workload, transport, clock, &device, position});
  std::optional<int> rounds = 1;
  for (const ArmIndex arm : {kPlain, kPlanted}) loop.warm_up(arm, rounds, 0ns);
  const Measured measured =
      loop.run({.index = {0}, .arm = kPlain, .block = 0, .order = 0, .first_batch = 0});
  ASSERT_EQ(measured.steps.size(), 24u);
  for (const StepRecord& step : measured.steps) {
    EXPECT_EQ(time_of(step, Phase::kForward).device, 1500us);
    EXPECT_EQ(time_of(step, Phase::kBackward).device, 2500us);
    EXPECT_GE(*time_of(step, Phase::kTraced).host, 4900us);
  }
}

}  // namespace
}  // namespace traceml
