#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "harness/analysis/bus_bandwidth.h"
#include "harness/analysis/collective_pairs.h"
#include "harness/analysis/rank_traces.h"
#include "harness/analysis/trace_against.h"
#include "tests/analysis/trace_script.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kCollectives = 60;
constexpr Nanos kWire = us(200);

// When rank `rank` comes to collective `k`, after its due time.
using Lateness = std::function<Nanos(int rank, int k)>;

// Every 5 ms all ranks exchange; nobody leaves before the last has come, and all leave together.
std::vector<TimelineEvents> exchange(int ranks, const Lateness& late,
                                     const std::vector<Nanos>& clocks = {}) {
  std::vector<TraceScript> scripts(static_cast<std::size_t>(ranks));
  for (int k = 0; k < kCollectives; ++k) {
    const Nanos due = std::chrono::seconds(1) + us(5000) * (k + 1);
    Nanos last{0};
    for (int rank = 0; rank < ranks; ++rank) last = std::max(last, due + late(rank, k));
    for (int rank = 0; rank < ranks; ++rank) {
      TraceScript& script = scripts[static_cast<std::size_t>(rank)];
      script.on_stream("20").collective(k, due + late(rank, k), last + kWire).on_stream("7");
    }
  }
  std::vector<TimelineEvents> events;
  for (std::size_t rank = 0; rank < scripts.size(); ++rank) {
    events.push_back(scripts[rank].events());
    if (rank < clocks.size()) events.back().base = clocks[rank];
  }
  return events;
}

RankTraces together(std::vector<TimelineEvents> events) {
  std::vector<Timeline> timelines;
  for (TimelineEvents& one : events) timelines.push_back(make_timeline(std::move(one)));
  std::vector<const Timeline*> all;
  std::vector<int> ranks;
  for (const Timeline& timeline : timelines) {
    ranks.push_back(static_cast<int>(all.size()));
    all.push_back(&timeline);
  }
  return explain_ranks(all, ranks);
}

std::vector<std::string> names_of(const std::vector<TraceFinding>& findings) {
  std::vector<std::string> names;
  for (const TraceFinding& finding : findings) names.push_back(finding.cause);
  return names;
}

Nanos none(int /*rank*/, int /*k*/) {
  return Nanos{0};
}

// A number that looks random and is the same everywhere.
int scrambled(int a, int b) {
  auto x = static_cast<std::uint32_t>(a * 7919 + b * 104729 + 17);
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return static_cast<int>(x % 1000);
}

Nanos slow_rank(int rank, int /*k*/) {
  return rank == 2 ? us(1000) : Nanos{0};
}

Nanos skewed(int rank, int k) {
  return us(2 * scrambled(rank, k));
}

TEST(Ranks, WaitFromTheirOwnStartToTheLatest) {
  const RankTraces traces = together(exchange(4, slow_rank));
  ASSERT_EQ(traces.pairs.size(), 60U);
  EXPECT_EQ(traces.ranks[0].wait, kCollectives * us(1000));
  EXPECT_EQ(traces.ranks[2].wait, Nanos{0});
  EXPECT_EQ(traces.ranks[2].last, kCollectives);
  EXPECT_EQ(traces.ranks[2].caused, kCollectives * us(1000));
  ASSERT_EQ(traces.operations.size(), 1U);
  EXPECT_EQ(traces.operations[0].wire, kWire);
  EXPECT_EQ(traces.operations[0].start_skew, us(1000));
  EXPECT_EQ(traces.operations[0].end_skew, Nanos{0});
  // 4 MiB in 200 us, two ranks in the group.
  EXPECT_NEAR(traces.operations[0].bus_gb_per_s.value(), 4 * 1048576 / 200e-6 / 1e9, 1e-9);
}

TEST(Planted, ASlowRankIsNamed) {
  EXPECT_THAT(names_of(together(exchange(4, slow_rank)).findings), ElementsAre("slow_rank"));
}

TEST(Planted, SkewWithoutASlowRankIsNamed) {
  EXPECT_THAT(names_of(together(exchange(4, skewed)).findings), ElementsAre("collective_skew"));
}

TEST(Healthy, RanksThatComeTogetherHaveNoCauseNamed) {
  EXPECT_THAT(together(exchange(4, none)).findings, IsEmpty());
  EXPECT_THAT(together(exchange(2, none)).findings, IsEmpty());
}

TEST(NearMiss, ARankThatIsLateByLittleIsNone) {
  const auto late = [](int rank, int) { return rank == 2 ? us(50) : Nanos{0}; };
  const RankTraces traces = together(exchange(4, late));
  EXPECT_THAT(traces.findings, IsEmpty());
  EXPECT_EQ(traces.ranks[2].last, 0);  // within the error of the clocks
}

TEST(NearMiss, ARankThatIsLateNowAndThenIsNone) {
  const auto late = [](int rank, int k) { return rank == 2 && k % 20 == 0 ? us(3000) : Nanos{0}; };
  EXPECT_THAT(together(exchange(4, late)).findings, IsEmpty());
}

TEST(Clocks, OfRanksAreEstimatedFromTheEndsOfCollectives) {
  const RankTraces traces = together(exchange(3, slow_rank, {Nanos{0}, us(123'456), us(-77)}));
  EXPECT_EQ(traces.clocks[1].offset, us(123'456));
  EXPECT_EQ(traces.clocks[2].offset, us(-77));
  EXPECT_EQ(traces.clocks[1].error.value(), kWire);  // by which all may be off alike
  EXPECT_EQ(traces.ranks[0].wait, kCollectives * us(1000));
}

TEST(Clocks, ThatContradictTheCollectivesGiveNoWaits) {
  std::vector<TimelineEvents> events = exchange(2, none);
  for (DeviceSpan& work : events[1].device) {
    if (work.start > std::chrono::seconds(1) + us(150'000)) work.start += us(50'000);
  }
  const RankTraces traces = together(std::move(events));
  EXPECT_THAT(traces.ranks, IsEmpty());
  EXPECT_THAT(traces.remarks, ::testing::Contains(HasSubstr("contradict each other")));
}

TEST(Clocks, OfTwoRanksMayBothBeOff) {
  // Each rank's error against the first is 200 us: two others may be 400 us apart.
  const auto late = [](Nanos time) {
    return [time](int rank, int) { return rank == 2 ? time : Nanos{0}; };
  };
  EXPECT_EQ(together(exchange(3, late(us(300)))).ranks[2].last, 0);
  EXPECT_EQ(together(exchange(3, late(us(401)))).ranks[2].last, kCollectives);
  EXPECT_EQ(together(exchange(2, [](int rank, int) { return rank == 1 ? us(300) : Nanos{0}; }))
                .ranks[1]
                .last,
            kCollectives);  // the first rank's clock is the measure: it has no error
}

TEST(Collectives, OfGroupsOfDifferentSizeAreNotMixed) {
  std::vector<TimelineEvents> events = exchange(2, none);
  for (TimelineEvents& one : events) {
    for (CollectiveFacts& facts : one.collectives) {
      if (*facts.sequence % 2 == 1) facts.group_size = 8;
    }
  }
  const RankTraces traces = together(std::move(events));
  ASSERT_EQ(traces.operations.size(), 2U);
  const double gb_per_s = 4 * 1048576 / 200e-6 / 1e9;
  std::map<int, double> bandwidth;
  for (const OperationFigures& one : traces.operations) {
    EXPECT_EQ(one.count, 30);
    bandwidth[one.ranks] = one.bus_gb_per_s.value();
  }
  EXPECT_NEAR(bandwidth[2], gb_per_s, 1e-9);
  EXPECT_NEAR(bandwidth[8], gb_per_s * 1.75, 1e-9);
}

TEST(Pairs, AreMadeBySequenceNumberAndNeverByOrder) {
  std::vector<TimelineEvents> events = exchange(2, none);
  events[1].device.erase(events[1].device.begin());  // the first collective was not recorded
  std::reverse(events[1].device.begin(), events[1].device.end());
  const RankTraces traces = together(std::move(events));
  EXPECT_EQ(traces.pairs.size(), 59U);
  ASSERT_EQ(traces.unmatched.size(), 1U);
  EXPECT_EQ(traces.unmatched[0].rank, 0);
  for (const CollectivePair& pair : traces.pairs) EXPECT_EQ(*pair.spans[0], *pair.spans[1]);
}

TEST(Pairs, AreMadeByTheEndWhereThereIsNoSequenceNumber) {
  std::vector<TimelineEvents> events = exchange(2, none);
  for (TimelineEvents& one : events) {
    for (CollectiveFacts& facts : one.collectives) facts.sequence.reset();
  }
  events[1].device.erase(events[1].device.begin() + 3);
  const RankTraces traces = together(std::move(events));
  EXPECT_EQ(traces.pairs.size(), 59U);
  ASSERT_EQ(traces.unmatched.size(), 1U);
  for (const CollectivePair& pair : traces.pairs) EXPECT_EQ(*pair.spans[0], *pair.spans[1]);
}

TEST(Pairs, AreMadeByTheEndWhicheverRankCameFirst) {
  const auto first_late = [](int rank, int) { return rank == 0 ? us(150) : Nanos{0}; };
  std::vector<TimelineEvents> events = exchange(2, first_late);
  for (TimelineEvents& one : events) {
    for (CollectiveFacts& facts : one.collectives) facts.sequence.reset();
  }
  const RankTraces traces = together(std::move(events));
  EXPECT_EQ(traces.pairs.size(), 60U);
  EXPECT_THAT(traces.unmatched, IsEmpty());
}

TEST(Pairs, AreLeftOutWhereTheyAreOfOtherRuns) {
  std::vector<TimelineEvents> events = exchange(2, none);
  events[1].device[7].start += std::chrono::hours(2);
  events[1].device[7].correlation.reset();
  const RankTraces traces = together(std::move(events));
  EXPECT_EQ(traces.apart, 1);
  EXPECT_EQ(traces.pairs.size(), 59U);
}

TEST(BusBandwidth, IsThatOfNcclTests) {
  const Seconds second(1);
  EXPECT_DOUBLE_EQ(bus_bandwidth("allreduce", 1'000'000'000, second, 8).value(), 1.75);
  EXPECT_DOUBLE_EQ(bus_bandwidth("_allgather_base", 1'000'000'000, second, 8).value(), 0.875);
  EXPECT_DOUBLE_EQ(bus_bandwidth("_reduce_scatter_base", 1'000'000'000, second, 4).value(), 0.75);
  EXPECT_DOUBLE_EQ(bus_bandwidth("all_to_all", 1'000'000'000, second, 4).value(), 0.75);
  EXPECT_DOUBLE_EQ(bus_bandwidth("broadcast", 1'000'000'000, second, 4).value(), 1);
  EXPECT_FALSE(bus_bandwidth("barrier", 1, second, 4));
  EXPECT_FALSE(bus_bandwidth("allreduce", 1, second, 1));
  EXPECT_FALSE(bus_bandwidth("allreduce", 1, Seconds(0), 4));
  EXPECT_EQ(operation_in_kernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"), "reducescatter");
  EXPECT_EQ(operation_in_kernel("ncclDevKernel_SendRecv"), "");
}

TEST(CollectiveBytes, AreThoseOfTheLargerBuffer) {
  CollectiveFacts facts;
  facts.type = "BFloat16";
  EXPECT_FALSE(collective_bytes(facts));
  facts.elements_in = 100;
  facts.elements_out = 800;
  EXPECT_EQ(collective_bytes(facts), 1600);
  facts.type = "Float8_e4m3fn";
  EXPECT_EQ(collective_bytes(facts), 800);
  facts.type = "unheard of";
  EXPECT_FALSE(collective_bytes(facts));
}

// --- against an earlier trace ---

TraceScript steps(int count, Nanos gemm, int empty = 0) {
  TraceScript script;
  for (int step = 0; step < count; ++step) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(step)).idle(us(50));
    if (step >= empty) {
      script.kernel("gemm", gemm + us(scrambled(step, 1) / 100.0));
      script.kernel("relu", us(40) + us(scrambled(step, 2) / 100.0));
    }
    script.close();
  }
  return script;
}

TraceComparison compared(const TraceScript& before, const TraceScript& after) {
  return compare_traces(make_timeline(before.events()), make_timeline(after.events()), "old.json");
}

TEST(Against, NamesTheKernelThatMovedAndNotItsNeighbours) {
  const TraceComparison comparison = compared(steps(20, us(200)), steps(20, us(230)));
  ASSERT_EQ(comparison.kernels.size(), 2U);
  EXPECT_EQ(comparison.kernels[0].name, "gemm");
  EXPECT_TRUE(comparison.kernels[0].moved);
  EXPECT_NEAR(comparison.kernels[0].change_ns().value(), 30'000, 1);
  EXPECT_FALSE(comparison.kernels[1].moved);
}

TEST(Against, TellsHowFewKernelsMakeUpTheChange) {
  const auto remarks = compared(steps(20, us(200)), steps(20, us(230))).remarks;
  EXPECT_THAT(remarks, ::testing::Contains(HasSubstr("1 kernel makes up 100.00 % of the +0.03")));
  EXPECT_THAT(compared(steps(20, us(200)), steps(20, us(200.5))).remarks,
              ::testing::Not(::testing::Contains(HasSubstr("up"))));
}

TEST(Against, CallsAChangeWithinTheSpreadOverStepsNone) {
  const TraceComparison comparison = compared(steps(20, us(200)), steps(20, us(200.5)));
  EXPECT_FALSE(comparison.kernels[0].moved);
  EXPECT_GT(comparison.kernels[0].noise_ns.value(), 500);
}

TEST(Against, TellsStepsWithoutDeviceWorkAndLeavesThemOut) {
  const TraceComparison comparison = compared(steps(32, us(200)), steps(32, us(200), 30));
  EXPECT_EQ(comparison.empty_after, 30);
  EXPECT_EQ(comparison.steps_after, 2);
  EXPECT_NEAR(comparison.kernels[0].after_ns.value(), comparison.kernels[0].before_ns.value(), 1e4);
  EXPECT_THAT(comparison.remarks, ::testing::Contains(HasSubstr("30 of 32 steps of the later")));
}

TEST(Against, CallsNothingAChangeWithOneStep) {
  const TraceComparison comparison = compared(steps(1, us(200)), steps(20, us(400)));
  EXPECT_FALSE(comparison.kernels[0].moved);
  EXPECT_FALSE(comparison.kernels[0].noise_ns.has_value());
}

TEST(Against, CountsAKernelThatOneSideLacksAsNothingThere) {
  TraceScript after = steps(20, us(200));
  after.open(HostKind::kAnnotation, "ProfilerStep#20").kernel("new", us(500)).close();
  const TraceComparison comparison = compared(steps(20, us(200)), after);
  const auto& kernels = comparison.kernels;
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [](const Mover& one) { return one.name == "new"; });
  ASSERT_NE(found, kernels.end());
  EXPECT_FALSE(found->before_ns.has_value());
  EXPECT_EQ(found->count_after, 1);
}

}  // namespace
}  // namespace traceml::testing
