#include "harness/analysis/confidence_sequence.h"

#include <cmath>
#include <limits>

namespace traceml {

double mixture_t(int n, double alpha, double c2) {
  if (n < 2) return std::numeric_limits<double>::infinity();
  const double a = std::pow(std::sqrt((n + c2) / c2) / (2 * alpha), 2.0 / n);
  const double a_kappa = a * c2 / (n + c2);
  if (a_kappa >= 1) return std::numeric_limits<double>::infinity();
  return std::sqrt((n - 1) * (a - 1) / (1 - a_kappa));
}

}  // namespace traceml
