#include "workloads/input/slot_ring.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace traceml {
namespace {

// One thread plays every part: take() must not be called where it would block.
std::vector<WorkUnit> take(SlotRing& ring, int count) {
  std::vector<WorkUnit> units;
  for (int i = 0; i < count; ++i) units.push_back(ring.take().value());
  return units;
}

TEST(SlotRing, GivesOutRowsInOrderAndBatchesToTheNextSlot) {
  SlotRing ring(3, 4, 2, 2);
  ring.start();
  const std::vector<WorkUnit> units = take(ring, 4);
  EXPECT_EQ(units[0].first_row, 0);
  EXPECT_EQ(units[1].first_row, 2);
  EXPECT_EQ(units[1].slot, units[0].slot);
  EXPECT_EQ(units[1].rows, 2);
  EXPECT_EQ(units[2].batch, 1);
  EXPECT_NE(units[2].slot, units[0].slot);
  for (const WorkUnit& unit : units) ring.done(unit);
}

TEST(SlotRing, GivesWhatIsLeftOfABatchToItsLastUnit) {
  SlotRing ring(3, 7, 3, 2);
  ring.start();
  const std::vector<WorkUnit> units = take(ring, 4);
  EXPECT_EQ(units[2].first_row, 6);
  EXPECT_EQ(units[2].rows, 1);
  EXPECT_EQ(units[3].batch, 1);
  EXPECT_EQ(units[3].first_row, 0);
  for (int i = 0; i < 3; ++i) ring.done(units[static_cast<std::size_t>(i)]);
  EXPECT_EQ(ring.ready(), 1);
}

TEST(SlotRing, DeliversInOrderAlthoughALaterBatchIsCompleteFirst) {
  SlotRing ring(4, 2, 1, 2);
  ring.start();
  const std::vector<WorkUnit> units = take(ring, 4);
  ring.done(units[2]);
  ring.done(units[3]);
  ring.done(units[1]);
  EXPECT_EQ(ring.ready(), 0);
  ring.done(units[0]);
  EXPECT_EQ(ring.ready(), 2);
  EXPECT_EQ(ring.next(), units[0].slot);
  EXPECT_EQ(ring.next(), units[2].slot);
  EXPECT_EQ(ring.ready(), 0);
}

TEST(SlotRing, HoldsWorkersBackAtTheReadAhead) {
  SlotRing ring(5, 4, 1, 3);
  EXPECT_FALSE(ring.can_take());  // parked
  ring.start();
  for (const WorkUnit& unit : take(ring, 12)) ring.done(unit);
  EXPECT_EQ(ring.ready(), 3);
  EXPECT_FALSE(ring.can_take());
  ring.next();
  EXPECT_EQ(take(ring, 4).back().batch, 3);
  EXPECT_FALSE(ring.can_take());
}

TEST(SlotRing, HoldsWorkersBackWhileTheConsumerKeepsItsSlots) {
  SlotRing ring(3, 1, 1, 2);
  ring.start();
  std::vector<int> kept;
  for (int i = 0; i < 3; ++i) {
    ring.done(ring.take().value());
    kept.push_back(ring.next().value());
  }
  // The fourth batch needs the slot of the first, not just any.
  EXPECT_FALSE(ring.can_take());
  ring.release(kept[1]);
  EXPECT_FALSE(ring.can_take());
  ring.release(kept[0]);
  EXPECT_TRUE(ring.can_take());
  const WorkUnit fourth = ring.take().value();
  EXPECT_EQ(fourth.batch, 3);
  EXPECT_EQ(fourth.slot, kept[0]);
}

// With one slot each side waits for the other in every round: a lost wake-up would hang.
TEST(SlotRing, WakesWorkersAndConsumerForEachOther) {
  SlotRing ring(1, 1, 1, 1);
  ring.start();
  std::thread worker([&] {
    while (const std::optional<WorkUnit> unit = ring.take()) ring.done(*unit);
  });
  for (int i = 0; i < 2000; ++i) {
    const std::optional<int> slot = ring.next();
    ASSERT_EQ(slot, 0);
    ring.release(*slot);
  }
  ring.close();
  worker.join();
}

TEST(SlotRing, DropsEverythingWhenParkedAndBeginsAnew) {
  SlotRing ring(3, 1, 1, 2);
  ring.start();
  for (const WorkUnit& unit : take(ring, 2)) ring.done(unit);
  EXPECT_EQ(ring.ready(), 2);
  ring.park();
  ring.start();
  EXPECT_EQ(ring.ready(), 0);
  EXPECT_EQ(ring.take().value().batch, 0);
}

TEST(SlotRing, ParkWaitsForTheRowsAtWork) {
  SlotRing ring(3, 1, 1, 2);
  ring.start();
  const WorkUnit unit = ring.take().value();
  std::atomic<bool> finished = false;
  std::thread worker([&] {
    finished = true;
    ring.done(unit);
  });
  ring.park();
  EXPECT_TRUE(finished);
  worker.join();
}

TEST(SlotRing, FreesAWaitingConsumerWhenItIsParkedOrClosed) {
  SlotRing ring(3, 1, 1, 2);
  EXPECT_EQ(ring.next(), std::nullopt);  // parked from the beginning
  ring.start();
  std::thread consumer([&] { EXPECT_EQ(ring.next(), std::nullopt); });
  ring.close();
  consumer.join();
  EXPECT_EQ(ring.take(), std::nullopt);
}

}  // namespace
}  // namespace traceml
