#include "harness/reports/figures.h"

#include <gtest/gtest.h>

#include <limits>

namespace traceml {
namespace {

TEST(Figures, HaveADashForNullAndAZeroForZero) {
  EXPECT_EQ(ms(std::nullopt, 2), "-");
  EXPECT_EQ(ms(Millis(0), 2), "0.00 ms");
  EXPECT_EQ(bare_ms(Millis(std::numeric_limits<double>::quiet_NaN()), 2), "-");
  EXPECT_EQ(percent(std::nullopt, 1), "-");
  EXPECT_EQ(percent(0.0, 1), "0.0 %");
}

TEST(Figures, HaveNoNegativeZero) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-0.01, 2), "-0.01");
  EXPECT_EQ(signed_percent(-0.000001, 1), "+0.0");
}

TEST(Figures, AreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(75750), "75,750");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-100000), "-100,000");
}

TEST(Figures, ShowADifferenceWithItsSign) {
  EXPECT_EQ(signed_ms(Millis(1.234)), "+1.23 ms");
  EXPECT_EQ(signed_ms(Millis(-0.0451)), "-0.045 ms");
  EXPECT_EQ(signed_ms(Millis(123.4)), "+123.4 ms");
  EXPECT_EQ(signed_percent(0.0312, 1), "+3.1");
}

TEST(Figures, WriteAMarginAsAPersonDoes) {
  EXPECT_EQ(margin_percent(0.02), "2 %");
  EXPECT_EQ(margin_percent(0.001), "0.1 %");
  EXPECT_EQ(margin_percent(0.95), "95 %");
  EXPECT_EQ(margin_percent(1 / (1 + (1 / 0.995 - 1))), "99.5 %");
}

}  // namespace
}  // namespace traceml
