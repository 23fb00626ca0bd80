#include "harness/analysis/time_ranges.h"

#include <algorithm>
#include <cmath>

namespace traceml {

std::vector<TimeRange> merged(std::vector<TimeRange> ranges) {
  std::erase_if(ranges, [](const TimeRange& one) { return one.end <= one.begin; });
  std::sort(ranges.begin(), ranges.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  std::vector<TimeRange> all;
  for (const TimeRange& one : ranges) {
    if (all.empty() || all.back().end < one.begin) {
      all.push_back(one);
    } else {
      all.back().end = std::max(all.back().end, one.end);
    }
  }
  return all;
}

std::vector<TimeRange> subtracted(const std::vector<TimeRange>& from,
                                  const std::vector<TimeRange>& taken) {
  std::vector<TimeRange> rest;
  auto hole = taken.begin();
  for (const TimeRange& one : from) {
    Nanos begin = one.begin;
    while (hole != taken.end() && hole->end <= begin) ++hole;
    for (auto next = hole; next != taken.end() && next->begin < one.end; ++next) {
      if (next->begin > begin) rest.push_back({begin, next->begin});
      begin = std::max(begin, next->end);
    }
    if (begin < one.end) rest.push_back({begin, one.end});
  }
  return rest;
}

Nanos length_of(const std::vector<TimeRange>& ranges) {
  Nanos length{0};
  for (const TimeRange& one : ranges) length += one.end - one.begin;
  return length;
}

double share_of(Nanos part, Nanos whole) {
  return whole <= Nanos{0} ? 0 : static_cast<double>(part.count()) / double(whole.count());
}

Nanos nearest_rank(const std::vector<Nanos>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[std::min(static_cast<std::size_t>(std::max(rank, 1.0)), sorted.size()) - 1];
}

}  // namespace traceml
