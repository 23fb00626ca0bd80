#include "harness/analysis/downsample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Values = std::vector<std::optional<double>>;

std::vector<BinSpan> spans_of(std::vector<std::size_t> sections, std::size_t most) {
  return bin_spans(sections, most);
}

TEST(BinSpans, GiveEachPlaceABinOfItsOwnWhereThereAreEnough) {
  EXPECT_THAT(spans_of({2, 1}, 10), ElementsAre(BinSpan{0, 1}, BinSpan{1, 2}, BinSpan{2, 3}));
}

TEST(BinSpans, CrossNoBorderOfASection) {
  EXPECT_THAT(spans_of({5, 5}, 4),
              ElementsAre(BinSpan{0, 2}, BinSpan{2, 5}, BinSpan{5, 7}, BinSpan{7, 10}));
}

TEST(BinSpans, HoldWholeSectionsWhereThereAreMoreSectionsThanBins) {
  EXPECT_THAT(spans_of({3, 4, 5, 6, 7}, 2), ElementsAre(BinSpan{0, 12}, BinSpan{12, 25}));
}

TEST(BinSpans, CoverEveryPlaceOnceAndInOrder) {
  for (std::size_t sections = 1; sections < 40; ++sections) {
    for (std::size_t most = 1; most < 50; most += 3) {
      const std::vector<std::size_t> lengths(sections, 7);
      std::size_t next = 0;
      const std::vector<BinSpan> spans = bin_spans(lengths, most);
      for (const BinSpan span : spans) {
        EXPECT_EQ(span.begin, next);
        EXPECT_LT(span.begin, span.end);
        next = span.end;
      }
      EXPECT_EQ(next, 7 * sections);
      EXPECT_LE(spans.size(), most + sections);
    }
  }
}

TEST(BinSpans, OfNothingAreNone) {
  EXPECT_THAT(spans_of({}, 5), IsEmpty());
  EXPECT_THAT(spans_of({0, 0}, 5), IsEmpty());
}

TEST(Bins, KeepTheLeastTheMeanAndTheLargest) {
  const Bin bin = bin_of(Values{3.0, 9.0, 6.0}, std::nullopt, 4);
  ASSERT_TRUE(bin.range);
  EXPECT_EQ(bin.range->min, 3);
  EXPECT_EQ(bin.range->mean, 6);
  EXPECT_EQ(bin.range->max, 9);
}

TEST(Bins, DoNotTakeANullForAZero) {
  const Bin bin = bin_of(Values{std::nullopt, 4.0}, std::nullopt, 4);
  ASSERT_TRUE(bin.range);
  EXPECT_EQ(bin.range->min, 4);
  EXPECT_EQ(bin.range->mean, 4);
  EXPECT_FALSE(bin_of(Values{std::nullopt, std::nullopt}, std::nullopt, 4).range);
}

TEST(Bins, KeepWhatStandsOutOnBothSides) {
  const Bin bin = bin_of(Values{5.0, 1.0, 5.0, std::nullopt, 9.0, 6.0}, Fences{4, 6}, 4);
  EXPECT_THAT(bin.standing_out, ElementsAre(1, 4));
  EXPECT_EQ(bin.left_out, 0U);
}

TEST(Bins, KeepTheFurthestInTheirOrderAndCountTheOthers) {
  const Bin bin = bin_of(Values{11.0, 13.0, 12.0, 20.0, 0.0}, Fences{2, 10}, 3);
  EXPECT_THAT(bin.standing_out, ElementsAre(1, 2, 3));  // 12 and 0 are equally far
  EXPECT_EQ(bin.left_out, 2U);
}

}  // namespace
}  // namespace traceml
