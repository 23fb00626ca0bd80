#pragma once
// Upper quantiles and tails of the laws that the verdicts use. Probabilities lie in (0, 1).

#include <cstdint>

namespace traceml {

// x with P(T_df > x) = tail, Student's t with df > 0 degrees of freedom: t_{1-tail, df}.
double student_quantile(double tail, double df);

// P(T_df > x).
double student_upper_tail(double x, double df);

// P(T > x), T noncentral t: (Z + shift) / sqrt(chi^2_df / df).
double noncentral_student_upper_tail(double x, double df, double shift);

// x with P(chi^2_df > x) = tail.
double chi_squared_quantile(double tail, double df);

// x with P(Z > x) = tail, standard normal: z_{1-tail}.
double normal_quantile(double tail);

// P(Z > x).
double normal_upper_tail(double x);

// P(X >= k), X binomial of n trials with success probability p.
double binomial_upper_tail(std::int64_t n, std::int64_t k, double p);

}  // namespace traceml
