#include "harness/analysis/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "harness/analysis/confidence_sequence.h"
#include "harness/analysis/hodges_lehmann.h"

namespace traceml {
namespace {

// docs/statistics.md, section 4, oracle 1. Other figures: independently with SciPy.
const std::vector<double> kRatios = {.012, .025, .018, .031, .009, .022};

std::vector<PairDifference> oracle_pairs() {
  constexpr RanFirst kA = RanFirst::kBaseline, kB = RanFirst::kCandidate;
  return {{.012, kA}, {.025, kB}, {.018, kB}, {.031, kA}, {.009, kA}, {.022, kB}};
}

TEST(Statistics, order_adjusted_t_equals_the_oracle) {
  const Estimate estimate = order_adjusted_estimate(oracle_pairs()).value();
  EXPECT_NEAR(estimate.theta, .0195, 1e-12);
  EXPECT_NEAR(estimate.order_effect.value(), -.0021666666667, 1e-12);
  EXPECT_NEAR(estimate.spread->sd, .00879393730552, 1e-12);
  EXPECT_EQ(estimate.spread->df, 4);
  const Interval nominal = interval_at(estimate.theta, *estimate.spread, .05, {});
  EXPECT_NEAR(nominal.lower, .0118464, 5e-8);
  EXPECT_NEAR(nominal.upper, .0271536, 5e-8);
  const Interval look = interval_at(estimate.theta, *estimate.spread, .0125, {});
  EXPECT_NEAR(look.lower, .0069511, 5e-8);
  EXPECT_NEAR(look.upper, .0320489, 5e-8);
  EXPECT_NEAR(std::exp(look.lower), 1.006975, 5e-7);
  EXPECT_NEAR(std::exp(look.upper), 1.032568, 5e-7);
}

TEST(Statistics, a_pure_order_effect_leaves_theta_at_zero) {
  const std::vector<PairDifference> pairs = {{.03, RanFirst::kBaseline},
                                             {-.03, RanFirst::kCandidate},
                                             {.03, RanFirst::kBaseline},
                                             {-.03, RanFirst::kCandidate},
                                             {.03, RanFirst::kBaseline}};
  const Estimate estimate = order_adjusted_estimate(pairs).value();
  EXPECT_NEAR(estimate.theta, 0, 1e-15);
  EXPECT_NEAR(estimate.order_effect.value(), .03, 1e-15);
}

TEST(Statistics, unbalanced_orders_weigh_by_both_counts) {
  std::vector<PairDifference> pairs = oracle_pairs();
  pairs.push_back({.020, RanFirst::kBaseline});
  const Estimate estimate = order_adjusted_estimate(pairs).value();
  EXPECT_NEAR(estimate.spread->se, estimate.spread->sd / 2 * std::sqrt(1. / 4 + 1. / 3), 1e-15);
  EXPECT_EQ(estimate.spread->df, 5);
}

TEST(Statistics, equal_differences_have_the_floor_as_their_spread) {
  const std::vector<PairDifference> pairs = {{.01, RanFirst::kBaseline},
                                             {.01, RanFirst::kCandidate},
                                             {.01, RanFirst::kCandidate},
                                             {.01, RanFirst::kBaseline}};
  const Estimate estimate = order_adjusted_estimate(pairs).value();
  EXPECT_EQ(estimate.spread->sd, 1e-4);
  EXPECT_NEAR(estimate.spread->se, 5e-5, 1e-18);
}

TEST(Statistics, too_few_or_one_sided_pairs_have_no_interval) {
  const auto pairs = oracle_pairs();
  EXPECT_FALSE(order_adjusted_estimate(std::span(pairs).first(1)));
  EXPECT_FALSE(order_adjusted_estimate(std::span(pairs).first(2))->spread);
  EXPECT_TRUE(order_adjusted_estimate(std::span(pairs).first(3))->spread);
  const std::vector<PairDifference> one_order(6, {.01, RanFirst::kBaseline});
  EXPECT_FALSE(order_adjusted_estimate(one_order)->spread);
}

TEST(Statistics, the_launch_as_unit_is_a_plain_t_with_one_degree_less) {
  const std::vector<double> launches = {.011, .014, .009, .016, .012, .010};
  const Estimate estimate = launch_estimate(launches).value();
  EXPECT_NEAR(estimate.theta, .012, 1e-15);
  EXPECT_NEAR(estimate.spread->se, .0010645812948447545, 1e-15);
  EXPECT_EQ(estimate.spread->df, 5);
  EXPECT_FALSE(estimate.order_effect);
}

TEST(Statistics, the_interaction_allowance_widens_in_quadrature) {
  const Estimate estimate = order_adjusted_estimate(oracle_pairs()).value();
  EXPECT_NEAR(half_width(*estimate.spread, .0125, {.003, 1}), .014236911519820405, 1e-12);
  const double many = half_width(*estimate.spread, .0125, {.003, 1000000});
  EXPECT_NEAR(many, half_width(*estimate.spread, .0125, {}), 1e-6);
}

TEST(Statistics, p_is_the_level_at_which_the_lower_bound_meets_the_margin) {
  const Estimate estimate = order_adjusted_estimate(oracle_pairs()).value();
  const double bound = std::log(1.01);
  EXPECT_NEAR(one_sided_p(estimate.theta, *estimate.spread, bound, {}), .02819536908511352, 1e-9);
  EXPECT_NEAR(one_sided_p(estimate.theta, *estimate.spread, bound, {.003, 1}), .04402486582688267,
              1e-9);
  const double above = estimate.theta + (estimate.theta - bound);
  EXPECT_NEAR(one_sided_p(estimate.theta, *estimate.spread, above, {.003, 1}),
              1 - .04402486582688267, 1e-9);
  EXPECT_EQ(one_sided_p(.01, *estimate.spread, .01, {.003, 1}), .5);
}

TEST(Statistics, the_minimum_detectable_change_counts_level_power_and_allowance) {
  const Estimate estimate = order_adjusted_estimate(oracle_pairs()).value();
  EXPECT_NEAR(minimum_detectable_change(*estimate.spread, .0125, {.003, 1}), .018814062727045985,
              1e-10);
}

TEST(Statistics, rare_events_go_unseen_as_often_as_the_document_says) {
  EXPECT_NEAR(unseen_fraction_of(6), .39, .005);
  EXPECT_NEAR(unseen_fraction_of(10), .26, .005);
  EXPECT_NEAR(unseen_fraction_of(14), .19, .005);
  EXPECT_NEAR(unseen_fraction_of(20), .14, .005);
}

using PValues = std::vector<std::optional<double>>;

TEST(Statistics, holm_needs_its_first_step_before_its_later_ones) {
  EXPECT_EQ(holm_rejections(PValues{.006, .5, .4}, .0125, 3, 0),
            (std::vector<bool>{false, false, false}));
  EXPECT_EQ(holm_rejections(PValues{.006, .004, .4}, .0125, 3, 0),
            (std::vector<bool>{true, true, false}));
  EXPECT_EQ(holm_rejections(PValues{.006, .5}, .0125, 3, 1), (std::vector<bool>{true, false}));
  EXPECT_EQ(holm_rejections(PValues{std::nullopt, .001}, .0125, 2, 0),
            (std::vector<bool>{false, true}));
}

TEST(Statistics, a_p_value_that_equals_holms_level_is_not_rejected) {
  EXPECT_EQ(holm_rejections(PValues{.0125}, .0125, 1, 0), std::vector<bool>{false});
}

TEST(HodgesLehmann, estimate_and_exact_interval_equal_the_oracle) {
  const HodgesLehmann result = hodges_lehmann(kRatios, .05).value();
  EXPECT_NEAR(result.estimate, .02, 1e-15);
  EXPECT_NEAR(result.interval->lower, .012, 1e-15);
  EXPECT_NEAR(result.interval->upper, .0265, 1e-15);
}

TEST(HodgesLehmann, wilcoxon_ranks_equal_the_table) {
  EXPECT_EQ(wilcoxon_rank(6, .05), 3);
  EXPECT_EQ(wilcoxon_rank(10, .05), 11);
  EXPECT_EQ(wilcoxon_rank(14, .05), 26);
  EXPECT_EQ(wilcoxon_rank(20, .05), 61);
}

TEST(HodgesLehmann, six_values_have_no_interval_at_the_level_of_a_look) {
  EXPECT_EQ(wilcoxon_rank(6, .0125), 0);  // P(W = 0) = 1/64
  EXPECT_FALSE(hodges_lehmann(kRatios, .0125)->interval);
  EXPECT_EQ(wilcoxon_rank(7, .0125), 1);
}

TEST(ConfidenceSequence, critical_values_equal_the_table) {
  const std::pair<int, double> table[] = {{6, 4.15161},  {8, 3.56085},  {10, 3.34304},
                                          {14, 3.16981}, {20, 3.08494}, {40, 3.04876}};
  for (const auto& [n, value] : table) EXPECT_NEAR(mixture_t(n, .05), value, 5e-6) << n;
  EXPECT_NEAR(mixture_t(4, .05), 14.35841, 5e-6);
  EXPECT_TRUE(std::isinf(mixture_t(2, .05)));
}

std::vector<PairDifference> alternating(std::vector<double> ratios) {
  std::vector<PairDifference> pairs;
  for (const double ratio : ratios) {
    const bool even = pairs.size() % 2 == 0;
    pairs.push_back({ratio, even ? RanFirst::kBaseline : RanFirst::kCandidate});
  }
  return pairs;
}

// Of docs/statistics.md, 2.12: mean -+ t*_n sd / sqrt(n), with the n - 1 in sd.
TEST(ConfidenceSequence, its_interval_is_that_of_the_plain_mean) {
  const auto pairs = alternating({.012, .025, .018, .031, .009, .022});
  const Estimate estimate = sequential_estimate(pairs).value();
  EXPECT_NEAR(estimate.theta, .0195, 1e-12);
  const double sd = std::sqrt(3.375e-4 / 5);
  EXPECT_NEAR(estimate.spread->sd, sd, 1e-12);
  const Interval interval = interval_at(estimate.theta, *estimate.spread, .05, {});
  EXPECT_NEAR(interval.upper - estimate.theta, 4.15161 * sd / std::sqrt(6.), 1e-7);
  EXPECT_NEAR(estimate.theta - interval.lower, 4.15161 * sd / std::sqrt(6.), 1e-7);
}

TEST(ConfidenceSequence, p_is_the_level_at_which_the_interval_meets_the_bound) {
  const Estimate estimate =
      sequential_estimate(alternating({.032, .045, .038, .051, .029, .042})).value();
  for (const Allowance allowance : {Allowance{}, Allowance{.003, 1}}) {
    const double p = one_sided_p(estimate.theta, *estimate.spread, .02, allowance);
    EXPECT_GT(p, 0);
    EXPECT_LT(p, .5);
    EXPECT_NEAR(interval_at(estimate.theta, *estimate.spread, p, allowance).lower, .02, 1e-8);
  }
  EXPECT_EQ(one_sided_p(.0201, *estimate.spread, .02, {}), .5) << "inside every interval";
}

TEST(ConfidenceSequence, has_no_interval_below_four_pairs) {
  EXPECT_FALSE(sequential_estimate(alternating({.01, .02, .03}))->spread);
  EXPECT_TRUE(sequential_estimate(alternating({.01, .02, .03, .02}))->spread);
}

TEST(ConfidenceSequence, decides_nothing_where_the_level_has_no_critical_value_yet) {
  Estimate estimate = sequential_estimate(alternating({.5, .5, .5, .5001})).value();
  EXPECT_EQ(critical_value(*estimate.spread, .05 / 256), kMostCritical);
}

}  // namespace
}  // namespace traceml
