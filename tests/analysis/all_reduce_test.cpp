#include "harness/analysis/all_reduce.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "harness/analysis/stragglers.h"

namespace traceml {
namespace {

using std::chrono::microseconds;

// Two ranks with clocks of their own, steps of some buckets, made by hand.
class AllReduceTest : public testing::Test {
 protected:
  struct Times {
    int arrival_us, start_us, end_us;
  };

  AllReduceTest() {
    facts_.arms.resize(1);
    facts_.settle_steps = 1;
    for (int rank = 0; rank < 2; ++rank) ranks_.push_back({Rank{rank}, {}, {}, {}});
  }

  CollectiveRecord& add(int rank, std::int64_t step, int bucket, Times times,
                        std::int64_t window = 0) {
    // A rank's clock has a base of its own.
    const Nanos base = std::chrono::seconds(100 * rank) + std::chrono::milliseconds(100 * step);
    CollectiveRecord record;
    record.window = WindowIndex{window};
    record.step = StepIndex{step};
    record.bucket = bucket;
    record.bytes = 1'000'000 * (bucket + 1);
    record.arrival = base + microseconds(times.arrival_us);
    record.start = base + microseconds(times.start_us);
    record.end = base + microseconds(times.end_us);
    record.clock = "device";
    auto& records = ranks_[static_cast<std::size_t>(rank)].collectives;
    records.push_back(record);
    return records.back();
  }

  // Rank 1 comes 300 us later to both buckets; both end together.
  void add_step(std::int64_t step, std::int64_t window = 0) {
    add(0, step, 0, {1000, 1010, 1810}, window);
    add(0, step, 1, {1500, 1820, 2820}, window);
    add(1, step, 0, {1300, 1310, 1810}, window);
    add(1, step, 1, {1800, 1820, 2820}, window);
  }

  std::vector<const RankRecords*> slots() const {
    std::vector<const RankRecords*> slots;
    for (const RankRecords& rank : ranks_) slots.push_back(&rank);
    return slots;
  }

  std::optional<AllReduceFigures> figures() const {
    return all_reduce_figures(facts_, ArmIndex{0}, slots(), {WindowIndex{0}, WindowIndex{2}});
  }

  CampaignFacts facts_;
  std::vector<RankRecords> ranks_;
};

TEST_F(AllReduceTest, TellsWireFromSkewAndBothFromQueueing) {
  add_step(1);
  add_step(2);
  const auto figures = this->figures();
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->clock, Clock::kGpu);
  ASSERT_EQ(figures->buckets.size(), 2u);
  const BucketFigures& first = figures->buckets[0];
  EXPECT_EQ(first.bytes, 1'000'000);
  EXPECT_EQ(first.steps, 2);
  EXPECT_DOUBLE_EQ(first.wire->count(), 0.5);  // of rank 1: rank 0 waited for it
  EXPECT_DOUBLE_EQ(first.skew->count(), 0.3);
  EXPECT_DOUBLE_EQ(first.queue->count(), 0.01);
  const BucketFigures& second = figures->buckets[1];
  EXPECT_DOUBLE_EQ(second.wire->count(), 1.0);
  EXPECT_DOUBLE_EQ(second.skew->count(), 0);
  EXPECT_DOUBLE_EQ(second.queue->count(), (0.32 + 0.02) / 2);
}

TEST_F(AllReduceTest, CallsExposedWhatLiesBehindTheLastArrivalOfTheOwnRank) {
  add_step(1);
  const auto figures = this->figures();
  ASSERT_TRUE(figures);
  // Rank 0's last bucket arrives at 1500, rank 1's at 1800.
  EXPECT_DOUBLE_EQ(figures->buckets[0].exposed->count(), (0.31 + 0.01) / 2);
  EXPECT_DOUBLE_EQ(figures->buckets[1].exposed->count(), 1.0);
  EXPECT_DOUBLE_EQ(figures->exposed->count(), 1.16);
}

TEST_F(AllReduceTest, CountsBandwidthAsNcclTestsDo) {
  add_step(1);
  const Bandwidth wire = figures()->buckets[0].bandwidth.value();
  EXPECT_DOUBLE_EQ(wire.algorithm_gb_per_s, 2);  // 1 MB in 0.5 ms
  EXPECT_DOUBLE_EQ(wire.bus_gb_per_s, 2);        // two ranks: 2 * 1 / 2
  EXPECT_DOUBLE_EQ(all_reduce_bandwidth(4'000'000, Seconds(0.001), 8)->bus_gb_per_s, 7);
  EXPECT_FALSE(all_reduce_bandwidth(4'000'000, Seconds(0), 8));
  EXPECT_FALSE(all_reduce_bandwidth(4'000'000, Seconds(std::nan("")), 8));
}

TEST_F(AllReduceTest, LeavesOutSettleStepsAndWindowsThatDoNotCount) {
  add_step(0);
  add_step(1, 1);
  EXPECT_FALSE(figures());
  add_step(1, 2);
  EXPECT_EQ(figures()->buckets[0].steps, 1);
}

TEST_F(AllReduceTest, HasNoTimeOfABucketThatOneRankCouldNotTime) {
  add_step(1);
  ranks_[1].collectives.back().end = std::nullopt;
  const auto figures = this->figures();
  EXPECT_EQ(figures->buckets[0].steps, 1);
  EXPECT_DOUBLE_EQ(figures->buckets[0].wire->count(), 0.5);
  EXPECT_EQ(figures->buckets[0].exposed, std::nullopt) << "the step's last arrival is not known";
  EXPECT_EQ(figures->buckets[1].steps, 0);
  EXPECT_EQ(figures->buckets[1].wire, std::nullopt);
  EXPECT_FALSE(figures->buckets[1].bandwidth);
  EXPECT_EQ(figures->exposed, std::nullopt);
}

TEST_F(AllReduceTest, HasNothingWithoutRecordsOfEveryRankOrOnTwoClocks) {
  EXPECT_FALSE(figures());
  add_step(1);
  ranks_[0].collectives[0].clock = "host";
  EXPECT_FALSE(figures());
  ranks_[0].collectives.clear();
  EXPECT_FALSE(figures());
}

// Stragglers on the records of a device: a kernel runs from the arrival of its own rank to the
// common end.
class DeviceStragglerTest : public AllReduceTest {
 protected:
  // Rank 1's gradients are ready `late_us` later, bucket by bucket, on steps of 40 ms.
  void add_steps(int late_us) {
    for (std::int64_t step = 1; step <= 80; ++step) {
      for (int bucket = 0; bucket < 5; ++bucket) {
        const int at = 20'000 + 4'000 * bucket;
        const int jitter = step % 2 == 0 ? 3 : -3;
        add(0, step, bucket, {at, at + 10, at + late_us + 1000});
        add(1, step, bucket, {at + late_us + jitter, at + late_us + 10, at + late_us + 1000});
      }
    }
  }

  std::vector<Straggler> named() const {
    const AllReduceTally tally = tally_all_reduces(facts_, ArmIndex{0}, slots(), {WindowIndex{0}});
    return name_stragglers(tally, "shipped", Millis(40));
  }
};

TEST_F(DeviceStragglerTest, ARankWhoseGradientsAreReadyLaterIsNamed) {
  add_steps(20'000);
  ASSERT_EQ(named().size(), 1u);
  EXPECT_EQ(named()[0].rank, Rank{1});
  EXPECT_EQ(named()[0].last_steps, 80);
}

// As a delay on the host that the device's queue hides: ready at the same time, to microseconds.
TEST_F(DeviceStragglerTest, ADelayThatNeverReachesTheDeviceNamesNobody) {
  add_steps(0);
  EXPECT_THAT(named(), testing::IsEmpty());
}

// 0.3 ms at each of five buckets cost the others 0.3 ms and not 1.5: less than 1 % of the step.
TEST_F(DeviceStragglerTest, ALateRankCostsWhatItIsLateWhereItIsLatest) {
  add_steps(300);
  EXPECT_THAT(named(), testing::IsEmpty());
  const AllReduceTally tally = tally_all_reduces(facts_, ArmIndex{0}, slots(), {WindowIndex{0}});
  EXPECT_EQ(last_steps_of(tally, Rank{1}), 80);
  EXPECT_NEAR(tally.caused_ms[0], 0.3, 0.0031);
}

// Two H200s, rank 1 late by 60 ms on the host, in microseconds: rank 0 waits in the first bucket
// and makes no progress meanwhile, so that the ranks are level at the last one.
TEST_F(DeviceStragglerTest, ARankThatOthersWaitForInTheFirstBucketAloneIsNamed) {
  for (std::int64_t step = 1; step <= 80; ++step) {
    add(0, step, 0, {60'397, 60'400, 91'783});
    add(1, step, 0, {42'662, 42'673, 42'998});
    add(0, step, 1, {118'806, 118'809, 118'866});
    add(1, step, 1, {69'972, 69'976, 70'038});
  }
  ASSERT_EQ(named().size(), 1u);
  EXPECT_EQ(named()[0].rank, Rank{1});
  EXPECT_EQ(named()[0].last_steps, 80);
}

}  // namespace
}  // namespace traceml
