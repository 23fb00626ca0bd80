#include "harness/runner/all_reduce_sweep.h"

#include <gmock/gmock.h>

#include <mutex>
#include <vector>

#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SweepSizesTest, RiseByFactorsOfFourUpToTheLast) {
  EXPECT_THAT(sweep_sizes(1024, 65536), ElementsAre(1024, 4096, 16384, 65536));
  EXPECT_THAT(sweep_sizes(1024, 5000), ElementsAre(1024, 4096));
}

// Averages as `inner` does, and then changes one element on one rank.
class FaultyCollective final : public Collective {
 public:
  FaultyCollective(Collective& inner, bool faulty, float by)
      : inner_(inner), faulty_(faulty), by_(by) {}
  void all_reduce_mean(const BucketView& bucket) override {
    inner_.all_reduce_mean(bucket);
    last_ = bucket;
  }
  void wait(DeviceQueue queue) override {
    inner_.wait(queue);
    if (faulty_ && last_.count > 300) static_cast<float*>(last_.data)[300] += by_;
  }
  void set_recording(bool) override {}
  std::vector<CollectiveRecord> take_records() override { return {}; }
  const char* name() const override { return "faulty"; }

 private:
  Collective& inner_;
  const bool faulty_;
  const float by_;
  BucketView last_;
};

// Rank 0's rows over three ranks, of which rank 1 gets an element wrong by `by`.
std::vector<SweepRow> rows_with_fault(float by) {
  SteadyHostClock group_clock;
  ThreadGroup group(3, group_clock);
  std::vector<SweepRow> rows;
  group.run([&](Transport& transport, Collective& inner) {
    FaultyCollective collective(inner, transport.rank() == Rank{1}, by);
    ManualClock clock;
    const auto memory = make_host_sweep_memory(16384);
    const auto own = sweep_all_reduce(transport, collective, clock, *memory, {1024, 4096, 16384});
    if (transport.rank() == Rank{0}) {
      rows = own;
    } else {
      EXPECT_THAT(own, IsEmpty());
    }
  });
  return rows;
}

TEST(AllReduceSweepTest, FindsEveryValueRightWhereTheMeanIs) {
  const auto rows = rows_with_fault(0);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].bytes, 16384);
  for (const SweepRow& row : rows) EXPECT_EQ(row.wrong, 0) << row.bytes;
}

TEST(AllReduceSweepTest, CountsTheWrongValuesOfAllRanksBySize) {
  const auto rows = rows_with_fault(0.5f);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].wrong, 0) << "too short for the fault";
  EXPECT_EQ(rows[1].wrong, 1);
  EXPECT_EQ(rows[2].wrong, 1);
}

// Moves time on by a fixed amount for each exchange.
class SlowCollective final : public Collective {
 public:
  SlowCollective(ManualClock& clock, Nanos each) : clock_(clock), each_(each) {}
  void all_reduce_mean(const BucketView&) override { clock_.advance(each_); }
  void wait(DeviceQueue) override {}
  void set_recording(bool) override {}
  std::vector<CollectiveRecord> take_records() override { return {}; }
  const char* name() const override { return "slow"; }

 private:
  ManualClock& clock_;
  const Nanos each_;
};

TEST(AllReduceSweepTest, TellsTheTimeOfTheSlowestRank) {
  SteadyHostClock group_clock;
  ThreadGroup group(2, group_clock);
  std::vector<SweepRow> rows;
  group.run([&](Transport& transport, Collective&) {
    ManualClock clock;
    SlowCollective collective(clock, Nanos{1000 * (1 + transport.rank().value)});
    const auto memory = make_host_sweep_memory(1024);
    const auto own = sweep_all_reduce(transport, collective, clock, *memory, {1024});
    if (transport.rank() == Rank{0}) rows = own;
  });
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].time, Nanos{2000});
}

}  // namespace
}  // namespace traceml
