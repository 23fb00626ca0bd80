#include "harness/analysis/power.h"

#include <cmath>

#include "harness/analysis/quantiles.h"

namespace traceml {

double power_of(int units, const UnitKind& kind, double sd, double distance, double alpha) {
  const double df = units - kind.lost;
  const double shift = distance / (sd / std::sqrt(units));
  return noncentral_student_upper_tail(student_quantile(alpha, df), df, shift);
}

std::optional<int> units_needed(const UnitKind& kind, double sd, double distance, double alpha,
                                double power) {
  const auto enough = [&](int steps) {
    return power_of(kind.fewest + steps * kind.step, kind, sd, distance, alpha) >= power;
  };
  if (distance <= 0) return std::nullopt;
  if (enough(0)) return kind.fewest;
  int below = 0, above = 1;
  while (!enough(above)) {  // power grows with the number of units
    below = above;
    above *= 2;
    if (kind.fewest + above * kind.step > kMostUnits) return std::nullopt;
  }
  while (above - below > 1) {
    const int middle = below + (above - below) / 2;
    (enough(middle) ? above : below) = middle;
  }
  return kind.fewest + above * kind.step;
}

double distance_to_margin(double effect, double delta) {
  return std::abs(std::log1p(effect) - std::log1p(delta));
}

}  // namespace traceml
