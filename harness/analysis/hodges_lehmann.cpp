#include "harness/analysis/hodges_lehmann.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace traceml {

int wilcoxon_rank(int n, double alpha) {
  if (n < 1) return 0;
  const std::size_t sums = static_cast<std::size_t>(n) * (static_cast<std::size_t>(n) + 1) / 2 + 1;
  std::vector<double> probability(sums, 0.0);  // of each rank sum, rank after rank
  probability[0] = 1;
  for (std::size_t rank = 1; rank <= static_cast<std::size_t>(n); ++rank) {
    for (std::size_t sum = sums; sum-- > 0;) {
      const double with = sum >= rank ? probability[sum - rank] : 0.0;
      probability[sum] = (probability[sum] + with) / 2;
    }
  }
  double tail = 0;
  int c = 0;
  while (static_cast<std::size_t>(c) < sums) {
    tail += probability[static_cast<std::size_t>(c)];
    if (tail > alpha) break;
    ++c;
  }
  return c;
}

std::optional<HodgesLehmann> hodges_lehmann(std::span<const double> values, double alpha) {
  if (values.empty()) return std::nullopt;
  std::vector<double> walsh;
  walsh.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) walsh.push_back((values[i] + values[j]) / 2);
  }
  std::sort(walsh.begin(), walsh.end());
  const std::size_t middle = walsh.size() / 2;
  HodgesLehmann result;
  result.estimate = walsh.size() % 2 == 1 ? walsh[middle] : (walsh[middle - 1] + walsh[middle]) / 2;
  const int rank = wilcoxon_rank(static_cast<int>(values.size()), alpha);
  if (rank > 0) {
    const std::size_t c = static_cast<std::size_t>(rank);
    result.interval = Interval{walsh[c - 1], walsh[walsh.size() - c]};
  }
  return result;
}

}  // namespace traceml
