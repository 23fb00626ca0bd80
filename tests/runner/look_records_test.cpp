#include "harness/runner/look_records.h"

#include <gmock/gmock.h>

#include "harness/backends/local/thread_group.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

StepRecord step(int rank, std::int64_t window, std::int64_t number, bool timed = true) {
  StepRecord record;
  record.window = WindowIndex{window};
  record.step = StepIndex{number};
  record.timed = timed;
  record.phases[index_of(Phase::kInputWait)] = DualTime{Nanos(0), std::nullopt};
  record.phases[index_of(Phase::kTraced)] = DualTime{Nanos(100 + rank), std::nullopt};
  return record;
}

WindowRecord window(std::int64_t index) {
  WindowRecord record;
  record.window = WindowIndex{index};
  record.steps = 2;
  return record;
}

TEST(LookRecordsTest, BringWindowsAndTimedStepsOfAllRanksToRankZeroOnce) {
  ManualClock clock;
  ThreadGroup group(2, clock);
  group.run([](Transport& transport, Collective&) {
    const int rank = transport.rank().value;
    LookRecords looks;
    looks.add(window(0), {step(rank, 0, 0, false), step(rank, 0, 1), step(rank, 0, 2)});
    looks.add(window(1), {});  // of a bare arm
    looks.gather(transport);
    looks.add(window(2), {step(rank, 2, 1)});
    looks.gather(transport);
    if (rank != 0) {
      EXPECT_THAT(looks.windows(), IsEmpty());
      EXPECT_THAT(looks.steps(), IsEmpty());
      return;
    }
    ASSERT_THAT(looks.windows(), SizeIs(2));
    for (std::size_t from = 0; from < 2; ++from) {
      EXPECT_EQ(looks.windows()[from].rank.value, static_cast<int>(from));
      EXPECT_THAT(looks.windows()[from].windows, SizeIs(3));
      ASSERT_THAT(looks.steps()[from], SizeIs(3));
      EXPECT_EQ(looks.steps()[from][2].key.window, WindowIndex{2});
      EXPECT_EQ(looks.steps()[from][2].host, Nanos(100 + static_cast<int>(from)));
    }
  });
}

}  // namespace
}  // namespace traceml
