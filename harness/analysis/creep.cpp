#include "harness/analysis/creep.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/quantiles.h"

namespace traceml {

namespace {

constexpr std::size_t kMostExact = 200;

std::int64_t pairs_of(std::size_t runs) {
  return static_cast<std::int64_t>(runs * (runs - 1) / 2);
}

// P(at most `most` of the pairs are out of order) where all orders are equally likely. Run after
// run: the k-th has 0 to k - 1 of the earlier ones behind it, each with probability 1 / k.
double inversions_at_most(std::size_t runs, std::int64_t most) {
  const auto size = static_cast<std::size_t>(most) + 1;
  std::vector<double> probability(size, 0.0), sums(size + 1, 0.0);
  probability[0] = 1;
  for (std::size_t k = 2; k <= runs; ++k) {
    for (std::size_t i = 0; i < size; ++i) sums[i + 1] = sums[i] + probability[i];
    for (std::size_t i = 0; i < size; ++i) {
      probability[i] = (sums[i + 1] - sums[i + 1 - std::min(i + 1, k)]) / static_cast<double>(k);
    }
  }
  double total = 0;
  for (const double one : probability) total += one;
  return std::min(total, 1.0);
}

double normal_tail(std::size_t runs, std::int64_t rises) {
  const auto n = static_cast<double>(runs);
  const double sd = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  return normal_upper_tail((static_cast<double>(rises) - 1) / sd);
}

// The least S with P(S >= it) <= tail; pairs_of(runs) + 2 where there is none.
std::int64_t critical_rises(std::size_t runs, double tail) {
  const std::int64_t pairs = pairs_of(runs);
  std::int64_t low = pairs % 2 - 2, high = pairs + 2;  // the tail is too large at low
  while (high - low > 2) {
    const std::int64_t middle = low + (high - low) / 4 * 2;
    (kendall_upper_tail(runs, middle) <= tail ? high : low) = middle;
  }
  return high;
}

// 1-based ranks C and pairs + 1 - C bound the slope (Sen 1968).
Interval slope_interval(const std::vector<double>& sorted, std::size_t runs, double tail) {
  const std::int64_t pairs = pairs_of(runs);
  const std::int64_t critical = critical_rises(runs, tail) - 2;
  const auto from = static_cast<std::size_t>(std::max<std::int64_t>((pairs - critical) / 2, 1));
  return {sorted[from - 1], sorted[sorted.size() - from]};
}

double median_of(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

double kendall_upper_tail(std::size_t runs, std::int64_t rises) {
  const std::int64_t pairs = runs < 2 ? 0 : pairs_of(runs);
  if (rises > pairs) return 0;
  if (rises <= -pairs) return 1;
  if (runs > kMostExact) return normal_tail(runs, rises);
  return inversions_at_most(runs, (pairs - rises) / 2);
}

double creep_level(std::size_t runs, double alpha) {
  if (runs < kFewestRunsOfATrend) return 0;
  const auto look = static_cast<double>(runs - kFewestRunsOfATrend + 1);
  return alpha / (look * (look + 1));
}

std::optional<Creep> creep_of(std::span<const double> thetas, double alpha, int claims) {
  if (thetas.size() < kFewestRunsOfATrend) return std::nullopt;
  Creep creep;
  creep.runs = thetas.size();
  std::vector<double> slopes;
  for (std::size_t later = 1; later < thetas.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const double rise = thetas[later] - thetas[earlier];
      creep.rises += (rise > 0) - (rise < 0);
      slopes.push_back(rise / static_cast<double>(later - earlier));
    }
  }
  std::sort(slopes.begin(), slopes.end());
  creep.slope = median_of(slopes);
  creep.slope_90 = slope_interval(slopes, creep.runs, 0.05);
  creep.p = kendall_upper_tail(creep.runs, creep.rises);
  creep.level = creep_level(creep.runs, alpha) / claims;
  creep.proven = creep.p <= creep.level;
  return creep;
}

}  // namespace traceml
