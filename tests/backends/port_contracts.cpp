#include "tests/backends/port_contracts.h"

#include <gmock/gmock.h>

#include <numeric>

#include "harness/ports/bucket_math.h"

namespace traceml {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string name_of_case(const testing::TestParamInfo<WorldCase>& test) {
  return test.param.name;
}

class TransportContract : public testing::TestWithParam<WorldCase> {};
class CollectiveContract : public testing::TestWithParam<WorldCase> {};

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

TEST_P(CollectiveContract, ReplacesEveryBucketByTheMeanOverRanks) {
  GetParam().run([](Transport& transport, Collective& collective) {
    const auto rank = static_cast<float>(transport.rank().value);
    const auto ranks = static_cast<float>(transport.world_size());
    for (int step = 0; step < 20; ++step) {
      std::vector<std::vector<float>> buckets;
      for (std::size_t bucket = 0; bucket < 4; ++bucket) {
        std::vector<float> values(1 + bucket * 1000);
        std::iota(values.begin(), values.end(), rank);
        buckets.push_back(values);
      }
      for (int bucket = 0; bucket < 4; ++bucket) {
        auto& values = buckets[static_cast<std::size_t>(bucket)];
        collective.all_reduce_mean({.bucket = bucket,
                                    .data = values.data(),
                                    .count = static_cast<std::int64_t>(values.size()),
                                    .type = ElementType::kFloat32,
                                    .queue = {}});
      }
      collective.wait({});
      for (const auto& values : buckets) {
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
    std::vector<std::uint16_t> values(99, bfloat16_of_float(1.5f + rank));
    collective.all_reduce_mean({.bucket = 0,
                                .data = values.data(),
                                .count = 99,
                                .type = ElementType::kBfloat16,
                                .queue = {}});
    collective.wait({});
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

void hand_over_two(Collective& collective) {
  std::vector<float> first(10, 1.0f);
  std::vector<float> second(20, 1.0f);
  collective.all_reduce_mean(
      {.bucket = 0, .data = first.data(), .count = 10, .type = {}, .queue = {}});
  collective.all_reduce_mean(
      {.bucket = 1, .data = second.data(), .count = 20, .type = {}, .queue = {}});
  collective.wait({});
}

TEST_P(CollectiveContract, RecordsEachBucketWithOrderedTimesWhileRecordingIsOn) {
  const bool exchanges = GetParam().exchanges;
  GetParam().run([exchanges](Transport&, Collective& collective) {
    collective.set_recording(true);
    hand_over_two(collective);
    hand_over_two(collective);
    const auto records = collective.take_records();
    if (!exchanges) {
      EXPECT_THAT(records, IsEmpty()) << "one rank exchanges nothing";
      return;
    }
    ASSERT_THAT(records, SizeIs(4));
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(records[i].bucket, static_cast<int>(i % 2));
      EXPECT_EQ(records[i].bytes, i % 2 == 0 ? 40 : 80);
      EXPECT_EQ(records[i].clock, "host");
      EXPECT_LE(records[i].issue_host, records[i].arrival.value());
      EXPECT_LE(records[i].arrival.value(), records[i].start.value());
      EXPECT_LE(records[i].start.value(), records[i].end.value());
    }
    EXPECT_THAT(collective.take_records(), IsEmpty()) << "taken once";
  });
}

TEST_P(CollectiveContract, KeepsNoRecordsWhileRecordingIsOff) {
  GetParam().run([](Transport&, Collective& collective) {
    hand_over_two(collective);
    EXPECT_THAT(collective.take_records(), IsEmpty());
    collective.set_recording(true);
    collective.set_recording(false);
    hand_over_two(collective);
    EXPECT_THAT(collective.take_records(), IsEmpty());
  });
}

}  // namespace
}  // namespace traceml
