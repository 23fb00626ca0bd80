#include "harness/analysis/quantiles.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>

namespace traceml {

namespace {

// double throughout: long double costs three times as much and changes no printed digit.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Student = boost::math::students_t_distribution<double, Policy>;
using NoncentralStudent = boost::math::non_central_t_distribution<double, Policy>;
using ChiSquared = boost::math::chi_squared_distribution<double, Policy>;
using Normal = boost::math::normal_distribution<double, Policy>;

}  // namespace

double student_quantile(double tail, double df) {
  return boost::math::quantile(boost::math::complement(Student(df), tail));
}

double student_upper_tail(double x, double df) {
  return boost::math::cdf(boost::math::complement(Student(df), x));
}

double noncentral_student_upper_tail(double x, double df, double shift) {
  return boost::math::cdf(boost::math::complement(NoncentralStudent(df, shift), x));
}

double chi_squared_quantile(double tail, double df) {
  return boost::math::quantile(boost::math::complement(ChiSquared(df), tail));
}

double normal_quantile(double tail) {
  return boost::math::quantile(boost::math::complement(Normal(), tail));
}

double normal_upper_tail(double x) {
  return boost::math::cdf(boost::math::complement(Normal(), x));
}

double binomial_upper_tail(std::int64_t n, std::int64_t k, double p) {
  if (k <= 0) return 1.0;
  if (k > n) return 0.0;
  return boost::math::ibeta(static_cast<double>(k), static_cast<double>(n - k + 1), p, Policy());
}

}  // namespace traceml
