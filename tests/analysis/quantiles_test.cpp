#include "harness/analysis/quantiles.h"

#include <gtest/gtest.h>

namespace traceml {
namespace {

struct Row {
  double tail;
  double df;
  double t;
};

// docs/statistics.md, section 4, oracle 2.
constexpr Row kTable[] = {{.05, 4, 2.13185},    {.05, 8, 1.85955},     {.05, 12, 1.78229},
                          {.05, 18, 1.73406},   {.0125, 4, 3.49541},   {.0125, 8, 2.75152},
                          {.0125, 12, 2.56003}, {.0125, 18, 2.44501},  {.00625, 4, 4.31466},
                          {.00625, 8, 3.20596}, {.00625, 12, 2.93446}, {.00625, 18, 2.77453}};

TEST(Quantiles, student_quantiles_equal_the_table) {
  for (const Row& row : kTable) {
    EXPECT_NEAR(student_quantile(row.tail, row.df), row.t, 5e-6) << row.tail << " " << row.df;
  }
}

TEST(Quantiles, a_tail_inverts_its_quantile_far_out) {
  for (const double tail : {0.4, 0.05, 1e-4, 1e-9}) {
    EXPECT_NEAR(student_upper_tail(student_quantile(tail, 4), 4) / tail, 1, 1e-9);
    EXPECT_NEAR(normal_upper_tail(normal_quantile(tail)) / tail, 1, 1e-9);
  }
}

TEST(Quantiles, known_values_of_the_normal_and_binomial_laws) {
  EXPECT_NEAR(normal_quantile(0.0125), 2.241402727604947, 1e-12);
  EXPECT_NEAR(student_upper_tail(2.5, 7), 0.020496109292876444, 1e-12);
  EXPECT_NEAR(binomial_upper_tail(80, 55, 0.5), 0.0005263674286766723, 1e-12);
  EXPECT_EQ(binomial_upper_tail(10, 0, 0.5), 1.0);
  EXPECT_EQ(binomial_upper_tail(10, 11, 0.5), 0.0);
}

}  // namespace
}  // namespace traceml
