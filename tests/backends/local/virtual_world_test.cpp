#include "harness/backends/local/virtual_world.h"

#include <gtest/gtest.h>

#include <chrono>

#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/virtual_device_clock.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

TEST(VirtualWorld, keeps_a_time_for_each_rank) {
  VirtualWorld world(3, 5ms);
  world.advance(Rank{1}, 2ms);
  VirtualHostClock first(world, Rank{0});
  VirtualHostClock second(world, Rank{1});
  EXPECT_EQ(first.now(), 5ms);
  EXPECT_EQ(second.now(), 7ms);
  EXPECT_EQ(second.now(), 7ms) << "looking costs nothing";
}

TEST(VirtualWorld, meets_at_the_time_of_the_latest_rank) {
  VirtualWorld world(3, 0ms);
  world.advance(Rank{0}, 1ms);
  world.advance(Rank{2}, 4ms);
  EXPECT_EQ(world.meet(3ms), 4ms);
  for (const int rank : {0, 1, 2}) EXPECT_EQ(world.now(Rank{rank}), 7ms) << rank;
}

TEST(VirtualWorld, digest_tells_other_times_apart) {
  VirtualWorld one(2, 0ms), other(2, 0ms);
  EXPECT_EQ(one.digest(), other.digest());
  one.advance(Rank{0}, 1ns);
  other.advance(Rank{1}, 1ns);
  EXPECT_NE(one.digest(), other.digest());
}

TEST(VirtualTransport, barrier_is_a_meeting_of_the_world_and_the_rest_takes_no_time) {
  SingleTransport real;
  VirtualWorld world(2, 0ms);
  VirtualTransport transport(real, world);
  world.advance(Rank{1}, 9ms);
  EXPECT_EQ(transport.broadcast("x"), "x");
  EXPECT_EQ(transport.gather("y").front(), "y");
  EXPECT_EQ(world.now(Rank{0}), 0ms);
  transport.barrier();
  EXPECT_EQ(world.now(Rank{0}), 9ms);
  EXPECT_EQ(transport.rank(), Rank{0});
  EXPECT_EQ(transport.world_size(), 1);
}

TEST(VirtualDeviceClock, gives_the_times_between_the_positions_of_marks) {
  VirtualDeviceClock device(4);
  device.set_position(10ms);
  const auto from = device.mark({});
  device.set_position(12ms);
  const auto to = device.mark({});
  ASSERT_TRUE(from && to);
  EXPECT_EQ(device.query(*from), MarkState::kReached);
  EXPECT_EQ(device.query(*to), MarkState::kReached);
  EXPECT_EQ(device.elapsed(*from, *to), 2ms);
}

TEST(VirtualDeviceClock, loses_one_mark_for_ever_and_never_uses_its_slot_again) {
  VirtualDeviceClock device(2);
  device.lose_next_mark();
  const auto lost = device.mark({});
  const auto kept = device.mark({});
  ASSERT_TRUE(lost && kept);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device.query(*lost), MarkState::kPending);
  EXPECT_EQ(device.query(*kept), MarkState::kReached);
  EXPECT_EQ(device.elapsed(*lost, *kept), std::nullopt);
  device.recycle(*lost);
  device.recycle(*kept);
  for (int i = 0; i < 3; ++i) {
    const auto next = device.mark({});
    ASSERT_TRUE(next);
    EXPECT_NE(next->slot, lost->slot);
    EXPECT_EQ(device.query(*next), MarkState::kReached);
    device.recycle(*next);
  }
}

TEST(VirtualDeviceClock, counts_the_most_marks_of_a_window_however_soon_they_come_back) {
  VirtualDeviceClock device(8);
  for (const int marks : {3, 5, 2}) {
    device.begin_window();
    for (int i = 0; i < marks; ++i) {
      const auto mark = device.mark({});
      device.query(*mark);
      device.recycle(*mark);
    }
  }
  EXPECT_EQ(device.counters().high_water, 5);
}

}  // namespace
}  // namespace traceml
