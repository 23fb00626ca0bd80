#include "tests/backends/port_contracts.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

#include "harness/ports/bucket_math.h"
#include "tests/required_hardware.h"

namespace traceml {

void* BucketMemory::hold(const void* bytes, std::size_t size) {
  held_.push_back(std::make_unique<std::byte[]>(size));
  std::memcpy(held_.back().get(), bytes, size);
  return held_.back().get();
}

void BucketMemory::read(const void* held, void* to, std::size_t size) {
  std::memcpy(to, held, size);
}

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string name_of_case(const testing::TestParamInfo<WorldCase>& test) {
  return test.param.name;
}

class WorldTest : public testing::TestWithParam<WorldCase> {
 protected:
  void SetUp() override { skip_or_fail(GetParam().needs, GetParam().why_not); }
};
class TransportContract : public WorldTest {};
class CollectiveContract : public WorldTest {};

INSTANTIATE_TEST_SUITE_P(All, TransportContract, testing::ValuesIn(world_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(All, CollectiveContract, testing::ValuesIn(world_cases()), name_of_case);

// Text of a length that depends on the rank; the slices of the tests are 7 bytes.
std::string text_of(int rank) {
  std::string text(static_cast<std::size_t>(rank) * 10, static_cast<char>('a' + rank));
  text += '\0';
  return text;
}

TEST_P(TransportContract, GathersTextsOfUnevenLengthInRankOrderAtRankZeroOnly) {
  GetParam().run([](Transport& transport, Collective&) {
    const auto all = transport.gather(text_of(transport.rank().value));
    if (transport.rank() != Rank{0}) {
      EXPECT_THAT(all, IsEmpty());
      return;
    }
    ASSERT_THAT(all, SizeIs(static_cast<std::size_t>(transport.world_size())));
    for (int rank = 0; rank < transport.world_size(); ++rank) {
      EXPECT_EQ(all[static_cast<std::size_t>(rank)], text_of(rank));
    }
  });
}

TEST_P(TransportContract, GathersEmptyTextsBesideLongOnes) {
  GetParam().run([](Transport& transport, Collective&) {
    const bool last = transport.rank().value == transport.world_size() - 1;
    const std::string mine = last ? std::string(100000, 'x') : std::string();
    const auto all = transport.gather(mine);
    if (transport.rank() == Rank{0}) {
      EXPECT_EQ(all.back().size(), 100000u);
      for (std::size_t rank = 0; rank + 1 < all.size(); ++rank) EXPECT_EQ(all[rank], "");
    }
  });
}

TEST_P(TransportContract, BroadcastsWhatRankZeroHoldsWhateverTheOthersHold) {
  GetParam().run([](Transport& transport, Collective&) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{50}}) {
      const std::string sent(length, 'z');
      const bool root = transport.rank() == Rank{0};
      EXPECT_EQ(transport.broadcast(root ? sent : "ignored"), sent);
    }
  });
}

TEST_P(TransportContract, KeepsSeparateMeetingsApart) {
  GetParam().run([](Transport& transport, Collective&) {
    for (int round = 0; round < 50; ++round) {
      transport.barrier();
      const auto all = transport.gather(std::to_string(round));
      EXPECT_THAT(all, Each(std::to_string(round))) << "empty on other ranks than 0";
      EXPECT_EQ(transport.broadcast(std::to_string(round)), std::to_string(round));
    }
  });
}

TEST_P(TransportContract, NumbersItsRanksFromZero) {
  GetParam().run([](Transport& transport, Collective&) {
    EXPECT_GE(transport.rank().value, 0);
    EXPECT_LT(transport.rank().value, transport.world_size());
  });
}

// Hands over `values` as one bucket; the content is the test's to read back.
template <typename Number>
void* hand_over(Collective& collective, BucketMemory& memory, int bucket,
                const std::vector<Number>& values, ElementType type) {
  void* held = memory.hold(values.data(), values.size() * sizeof(Number));
  collective.all_reduce_mean({.bucket = bucket,
                              .data = held,
                              .count = static_cast<std::int64_t>(values.size()),
                              .type = type,
                              .queue = memory.queue()});
  return held;
}

TEST_P(CollectiveContract, ReplacesEveryBucketByTheMeanOverRanks) {
  GetParam().run([](Transport& transport, Collective& collective) {
    const auto rank = static_cast<float>(transport.rank().value);
    const auto ranks = static_cast<float>(transport.world_size());
    const auto memory = GetParam().memory();
    for (int step = 0; step < 20; ++step) {
      std::vector<void*> buckets;
      for (std::size_t bucket = 0; bucket < 4; ++bucket) {
        std::vector<float> values(1 + bucket * 1000);
        std::iota(values.begin(), values.end(), rank);
        buckets.push_back(hand_over(collective, *memory, static_cast<int>(bucket), values,
                                    ElementType::kFloat32));
      }
      collective.wait(memory->queue());
      for (std::size_t bucket = 0; bucket < 4; ++bucket) {
        std::vector<float> values(1 + bucket * 1000);
        memory->read(buckets[bucket], values.data(), values.size() * sizeof(float));
        for (std::size_t i = 0; i < values.size(); i += 97) {
          EXPECT_FLOAT_EQ(values[i], static_cast<float>(i) + (ranks - 1) / 2);
        }
      }
    }
  });
}

TEST_P(CollectiveContract, AveragesBfloat16) {
  GetParam().run([](Transport& transport, Collective& collective) {
    const auto rank = static_cast<float>(transport.rank().value);
    const auto ranks = static_cast<float>(transport.world_size());
    const auto memory = GetParam().memory();
    std::vector<std::uint16_t> values(99, bfloat16_of_float(1.5f + rank));
    const void* held = hand_over(collective, *memory, 0, values, ElementType::kBfloat16);
    collective.wait(memory->queue());
    memory->read(held, values.data(), values.size() * sizeof(std::uint16_t));
    for (const std::uint16_t value : values) {
      EXPECT_EQ(float_of_bfloat16(value), 1.5f + (ranks - 1) / 2);
    }
  });
}

TEST_P(CollectiveContract, ReturnsFromWaitAtOnceWhereNothingWasHandedOver) {
  GetParam().run([](Transport&, Collective& collective) {
    collective.wait({});
    collective.wait({});
  });
}

void hand_over_two(Collective& collective, BucketMemory& memory) {
  const std::vector<float> first(10, 1.0f);
  const std::vector<float> second(20, 1.0f);
  const void* held = hand_over(collective, memory, 0, first, ElementType::kFloat32);
  hand_over(collective, memory, 1, second, ElementType::kFloat32);
  collective.wait(memory.queue());
  float value = 0;
  memory.read(held, &value, sizeof value);  // the queue has done its work
}

TEST_P(CollectiveContract, RecordsEachBucketWithOrderedTimesWhileRecordingIsOn) {
  const WorldCase& world = GetParam();
  world.run([&world](Transport&, Collective& collective) {
    const auto memory = world.memory();
    collective.set_recording(true);
    hand_over_two(collective, *memory);
    hand_over_two(collective, *memory);
    const auto records = collective.take_records();
    if (!world.exchanges) {
      EXPECT_THAT(records, IsEmpty()) << "one rank exchanges nothing";
      return;
    }
    ASSERT_THAT(records, SizeIs(4));
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(records[i].bucket, static_cast<int>(i % 2));
      EXPECT_EQ(records[i].bytes, i % 2 == 0 ? 40 : 80);
      EXPECT_EQ(records[i].clock, world.clock);
      if (world.clock == "host") {
        EXPECT_LE(records[i].issue_host, records[i].arrival.value());
      }
      if (i > 0) {
        EXPECT_LE(records[i - 1].issue_host, records[i].issue_host);
        EXPECT_LE(records[i - 1].arrival.value(), records[i].arrival.value());
      }
      EXPECT_LE(records[i].arrival.value(), records[i].start.value());
      EXPECT_LE(records[i].start.value(), records[i].end.value());
    }
    EXPECT_THAT(collective.take_records(), IsEmpty()) << "taken once";
  });
}

TEST_P(CollectiveContract, KeepsNoRecordsWhileRecordingIsOff) {
  GetParam().run([](Transport&, Collective& collective) {
    const auto memory = GetParam().memory();
    hand_over_two(collective, *memory);
    EXPECT_THAT(collective.take_records(), IsEmpty());
    collective.set_recording(true);
    collective.set_recording(false);
    hand_over_two(collective, *memory);
    EXPECT_THAT(collective.take_records(), IsEmpty());
  });
}

}  // namespace
}  // namespace traceml
