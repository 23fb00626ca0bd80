#include "harness/analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/analysis/confidence_sequence.h"
#include "harness/analysis/quantiles.h"

namespace traceml {

namespace {

constexpr double kPower = 0.8;

struct Group {
  double count = 0;
  double mean = 0;
  double squares = 0;  // sum of squared deviations
};

Group group_of(std::span<const PairDifference> pairs, RanFirst first) {
  Group group;
  for (const PairDifference& pair : pairs) {
    if (pair.first != first) continue;
    group.count += 1;
    group.mean += pair.log_ratio;
  }
  if (group.count > 0) group.mean /= group.count;
  for (const PairDifference& pair : pairs) {
    if (pair.first == first) group.squares += std::pow(pair.log_ratio - group.mean, 2);
  }
  return group;
}

// Half-width as a function of z = z_{1-alpha}, which is nearly a straight line.
double half_width_at_z(const Spread& spread, double z, const Allowance& allowance) {
  const double t = critical_value(spread, normal_upper_tail(z));
  return std::hypot(t * spread.se, z * allowance.sd / std::sqrt(allowance.launches));
}

// z > 0 with half_width_at_z = distance, by the Illinois form of false position.
double z_of_half_width(const Spread& spread, double distance, const Allowance& allowance) {
  double low = 0, high = 8;  // P(Z > 8) = 6e-16
  double at_low = half_width_at_z(spread, low, allowance) - distance;
  if (at_low >= 0) return low;  // a confidence sequence is no point at z = 0
  double at_high = half_width_at_z(spread, high, allowance) - distance;
  if (at_high <= 0) return high;
  for (int i = 0; i < 60 && high - low > 1e-10; ++i) {
    const double middle = (low * at_high - high * at_low) / (at_high - at_low);
    const double value = half_width_at_z(spread, middle, allowance) - distance;
    if (std::abs(value) < 1e-13 * distance) return middle;
    if (value < 0) {
      low = middle;
      at_low = value;
      at_high /= 2;
    } else {
      high = middle;
      at_high = value;
      at_low /= 2;
    }
  }
  return (low + high) / 2;
}

}  // namespace

std::optional<Estimate> order_adjusted_estimate(std::span<const PairDifference> pairs) {
  if (pairs.size() < 2) return std::nullopt;
  const Group first = group_of(pairs, RanFirst::kBaseline);
  const Group second = group_of(pairs, RanFirst::kCandidate);
  Estimate estimate;
  estimate.units = pairs.size();
  if (first.count == 0 || second.count == 0) {
    estimate.theta = first.count > 0 ? first.mean : second.mean;
    return estimate;
  }
  estimate.theta = (first.mean + second.mean) / 2;
  estimate.order_effect = (first.mean - second.mean) / 2;
  const double df = static_cast<double>(pairs.size()) - 2;
  if (df < 1) return estimate;
  const double sd = std::max(std::sqrt((first.squares + second.squares) / df), kSdFloor);
  estimate.spread = Spread{sd, sd / 2 * std::sqrt(1 / first.count + 1 / second.count), df, 0};
  return estimate;
}

std::optional<Estimate> sequential_estimate(std::span<const PairDifference> pairs) {
  std::vector<double> ratios;
  for (const PairDifference& pair : pairs) ratios.push_back(pair.log_ratio);
  std::optional<Estimate> estimate = launch_estimate(ratios);
  if (!estimate) return std::nullopt;
  const int units = static_cast<int>(ratios.size());
  if (units < kMinSequenceUnits) {
    estimate->spread = std::nullopt;
  } else {
    estimate->spread->sequence_units = units;
  }
  if (const auto adjusted = order_adjusted_estimate(pairs)) {
    estimate->order_effect = adjusted->order_effect;
  }
  return estimate;
}

std::optional<Estimate> launch_estimate(std::span<const double> launch_means) {
  if (launch_means.size() < 2) return std::nullopt;
  const double count = static_cast<double>(launch_means.size());
  const double mean = std::accumulate(launch_means.begin(), launch_means.end(), 0.0) / count;
  double squares = 0;
  for (const double value : launch_means) squares += (value - mean) * (value - mean);
  const double sd = std::max(std::sqrt(squares / (count - 1)), kSdFloor);
  return Estimate{launch_means.size(), mean, std::nullopt,
                  Spread{sd, sd / std::sqrt(count), count - 1, 0}};
}

double critical_value(const Spread& spread, double alpha) {
  if (spread.sequence_units == 0) return student_quantile(alpha, spread.df);
  return std::min(mixture_t(spread.sequence_units, alpha), kMostCritical);
}

double half_width(const Spread& spread, double alpha, const Allowance& allowance) {
  const double t = critical_value(spread, alpha);
  const double z = normal_quantile(alpha);
  return std::hypot(t * spread.se, z * allowance.sd / std::sqrt(allowance.launches));
}

Interval interval_at(double theta, const Spread& spread, double alpha, const Allowance& allowance) {
  const double half = half_width(spread, alpha, allowance);
  return {theta - half, theta + half};
}

double one_sided_p(double theta, const Spread& spread, double bound, const Allowance& allowance) {
  const double distance = theta - bound;
  const bool planned = spread.sequence_units == 0;
  if (planned && allowance.sd == 0) return student_upper_tail(distance / spread.se, spread.df);
  if (distance == 0) return 0.5;
  const double tail = normal_upper_tail(z_of_half_width(spread, std::abs(distance), allowance));
  return distance > 0 ? tail : 1 - tail;
}

double minimum_detectable_change(const Spread& spread, double alpha, const Allowance& allowance) {
  const double scatter = std::hypot(spread.se, allowance.sd / std::sqrt(allowance.launches));
  return std::expm1(half_width(spread, alpha, allowance) +
                    student_quantile(1 - kPower, spread.df) * scatter);
}

double unseen_fraction_of(std::size_t units) {
  return 1 - std::pow(0.05, 1 / static_cast<double>(units));
}

std::vector<bool> holm_rejections(std::span<const std::optional<double>> p_values, double level,
                                  int total, int rejected) {
  std::vector<std::size_t> by_p;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (p_values[i]) by_p.push_back(i);
  }
  std::sort(by_p.begin(), by_p.end(),
            [&](std::size_t a, std::size_t b) { return *p_values[a] < *p_values[b]; });
  std::vector<bool> result(p_values.size(), false);
  for (const std::size_t i : by_p) {
    if (rejected >= total || *p_values[i] >= level / (total - rejected)) break;
    result[i] = true;
    ++rejected;
  }
  return result;
}

}  // namespace traceml
