#include "workloads/torch/operator_room.h"

#include <gmock/gmock.h>

namespace traceml {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class OperatorRoomTest : public ::testing::Test {
 protected:
  void begin(int call, Nanos now, const std::vector<std::int64_t>& dims = {},
             std::int64_t sequence = -1, const std::string& name = "aten::add") {
    room_.begin(&calls_.at(call), name, sequence, [&dims](OperatorDims& all) {
      for (const std::int64_t number : dims) all.add(number);
    });
    if (room_.is_open(&calls_.at(call))) room_.started(now);
  }
  void end(int call, Nanos now) { room_.end(&calls_.at(call), now); }
  OperatorEvents take() {
    OperatorEvents events;
    room_.take(3, &events);
    return events;
  }

  std::array<char, 4> calls_{};
  OperatorRoom room_;
};

TEST_F(OperatorRoomTest, NestedCallsLieInsideEachOther) {
  room_.make_room(10);
  begin(0, 10ns, {}, 7, "aten::conv2d");
  begin(1, 12ns);
  end(1, 15ns);
  end(0, 20ns);
  const OperatorEvents events = take();
  ASSERT_EQ(events.spans.size(), 2u);
  EXPECT_EQ(events.names[events.spans[0].name], "aten::conv2d");
  EXPECT_EQ(events.spans[0].duration, 10ns);
  EXPECT_EQ(events.spans[0].sequence, 7);
  EXPECT_EQ(events.names[events.spans[1].name], "aten::add");
  EXPECT_EQ(events.spans[1].start, 12ns);
  EXPECT_EQ(events.spans[1].duration, 3ns);
  EXPECT_EQ(events.spans[1].sequence, std::nullopt);
  EXPECT_EQ(events.spans[1].thread, 3u);
}

TEST_F(OperatorRoomTest, SizesOfTensorsListsAndOtherInputsAreNestedLists) {
  room_.make_room(10);
  begin(0, 1ns, {4, 8, 3, 32, 32, 0, -3, 1, 2, 2, 3, 4});
  end(0, 2ns);
  begin(1, 3ns);
  end(1, 4ns);
  const OperatorEvents events = take();
  EXPECT_EQ(events.names[*events.spans[0].dims], "[[8,3,32,32],[],[[2],[3,4]]]");
  EXPECT_EQ(events.names[*events.spans[1].dims], "[]");
}

TEST_F(OperatorRoomTest, WhatHasNoRoomIsCountedAndTakesNothingFromWhatWasKept) {
  room_.make_room(2);
  begin(0, 1ns);
  begin(1, 2ns);
  begin(2, 3ns);
  end(2, 4ns);
  end(1, 5ns);
  end(0, 6ns);
  const OperatorEvents events = take();
  ASSERT_EQ(events.spans.size(), 2u);
  EXPECT_EQ(events.spans[1].duration, 3ns);
  EXPECT_EQ(events.dropped, 1);
}

TEST_F(OperatorRoomTest, AnOperatorWhoseSizesDoNotFitIsLeftOutWhole) {
  room_.make_room(2);
  begin(0, 1ns, std::vector<std::int64_t>(2 * OperatorRoom::kDimsEach + 1, 0));
  end(0, 2ns);
  begin(1, 3ns, {1, 5});
  end(1, 4ns);
  const OperatorEvents events = take();
  ASSERT_EQ(events.spans.size(), 1u);
  EXPECT_EQ(events.names[*events.spans[0].dims], "[[5]]");
  EXPECT_EQ(events.dropped, 1);
}

TEST_F(OperatorRoomTest, WhatIsStillOpenCountsAsDropped) {
  room_.make_room(4);
  begin(0, 1ns);
  const OperatorEvents events = take();
  EXPECT_THAT(events.spans, ElementsAre());
  EXPECT_EQ(events.dropped, 1);
  room_.make_room(4);
  begin(1, 8ns);
  end(0, 9ns);
  EXPECT_THAT(take().spans, ElementsAre()) << "the next recording knows nothing of it";
}

}  // namespace
}  // namespace traceml
