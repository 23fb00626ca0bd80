#include "workloads/input/sample_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "harness/core/error.h"

namespace traceml {
namespace {

std::vector<std::int64_t> epoch_of(const SampleOrder& order, std::int64_t epoch,
                                   std::int64_t batch) {
  std::vector<std::int64_t> samples;
  const std::int64_t first = epoch * order.batches_per_epoch();
  for (std::int64_t k = first; k < first + order.batches_per_epoch(); ++k) {
    for (std::int64_t row = 0; row < batch; ++row) {
      samples.push_back(order.sample(order.position(k, row)));
    }
  }
  return samples;
}

TEST(SampleOrder, PermutesDataSetsOfEverySize) {
  for (std::int64_t images = 1; images < 300; ++images) {
    const SampleOrder order(9, images, 1, Rank{0}, 1);
    std::vector<std::int64_t> samples = epoch_of(order, 2, 1);
    std::sort(samples.begin(), samples.end());
    std::vector<std::int64_t> all(static_cast<std::size_t>(images));
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(samples, all);
  }
}

TEST(SampleOrder, ShardsThreeHundredAndTwoImagesIntoSixBatchesOnEachOfThreeRanks) {
  std::set<std::int64_t> seen;
  for (int rank = 0; rank < 3; ++rank) {
    const SampleOrder order(7, 302, 16, Rank{rank}, 3);
    EXPECT_EQ(order.batches_per_epoch(), 6);
    for (const std::int64_t sample : epoch_of(order, 0, 16)) {
      EXPECT_TRUE(seen.insert(sample).second) << "rank " << rank << " repeats " << sample;
      EXPECT_LT(sample, 302);
      EXPECT_GE(sample, 0);
    }
  }
  EXPECT_EQ(seen.size(), 6U * 16 * 3);
}

TEST(SampleOrder, GivesTwoRanksTheHalvesOfOneRanksBatches) {
  const SampleOrder one(7, 500, 8, Rank{0}, 1);
  const SampleOrder first(7, 500, 4, Rank{0}, 2);
  const SampleOrder second(7, 500, 4, Rank{1}, 2);
  for (std::int64_t batch = 0; batch < 150; ++batch) {
    for (std::int64_t row = 0; row < 8; ++row) {
      const SampleOrder& half = row < 4 ? first : second;
      ASSERT_EQ(half.sample(half.position(batch, row % 4)), one.sample(one.position(batch, row)));
    }
  }
}

TEST(SampleOrder, DiffersBetweenEpochsAndSeedsAndRepeatsForTheSameOnes) {
  const SampleOrder order(7, 1000, 10, Rank{0}, 1);
  const SampleOrder again(7, 1000, 10, Rank{0}, 1);
  const SampleOrder other(8, 1000, 10, Rank{0}, 1);
  EXPECT_EQ(epoch_of(order, 3, 10), epoch_of(again, 3, 10));
  EXPECT_NE(epoch_of(order, 3, 10), epoch_of(order, 4, 10));
  EXPECT_NE(epoch_of(order, 3, 10), epoch_of(other, 3, 10));
}

TEST(SampleOrder, PutsEverySampleAtEveryPlaceEquallyOften) {
  constexpr std::int64_t kImages = 11;
  constexpr int kEpochs = 22000;
  const SampleOrder order(3, kImages, 1, Rank{0}, 1);
  std::vector<std::vector<int>> counts(kImages, std::vector<int>(kImages));
  for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    for (std::int64_t place = 0; place < kImages; ++place) {
      ++counts[static_cast<std::size_t>(place)]
              [static_cast<std::size_t>(order.sample({epoch, place}))];
    }
  }
  double chi_square = 0;
  const double expected = static_cast<double>(kEpochs) / kImages;
  for (const auto& row : counts) {
    for (const int count : row) chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi_square, 150.0);  // 100 degrees of freedom: the 99.9 % point is 149
}

TEST(SampleOrder, NeighboursInTheDataSetDoNotStayNeighbours) {
  const SampleOrder order(3, 75750, 1, Rank{0}, 1);
  int near = 0;
  for (std::int64_t place = 0; place + 1 < 75750; ++place) {
    const std::int64_t distance = order.sample({0, place + 1}) - order.sample({0, place});
    near += std::abs(distance) <= 750 ? 1 : 0;
  }
  EXPECT_NEAR(near / 75750.0, 2 * 750 / 75750.0, 0.002);
}

TEST(SampleOrder, ReplacesASampleByTheNextOneOfTheEpochsPermutation) {
  const SampleOrder order(7, 302, 16, Rank{1}, 3);
  const SamplePosition at = order.position(0, 15);
  EXPECT_EQ(order.following(at), (SamplePosition{0, at.position + 1}));
  EXPECT_EQ(order.following({5, 301}), (SamplePosition{5, 0}));
}

TEST(SampleOrder, RefusesADataSetThatDoesNotFillOneBatchOnEachRank) {
  EXPECT_NO_THROW(SampleOrder(1, 48, 16, Rank{0}, 3));
  try {
    SampleOrder(1, 47, 16, Rank{0}, 3);
    FAIL() << "47 images were accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "the data set has 47 images, but workload.batch_size 16 on 3 ranks takes 48 for "
                 "one step; lower workload.batch_size or use a larger data set");
  }
}

}  // namespace
}  // namespace traceml
