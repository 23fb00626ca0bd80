#pragma once
// Pairs collectives of several ranks (rank_traces.h).

#include <string>
#include <vector>

#include "harness/analysis/rank_traces.h"

namespace traceml {

struct CollectivePairs {
  std::vector<CollectivePair> pairs;  // each rank on its own clock, counted from the common base
  std::vector<UnmatchedCollectives> unmatched;
};

CollectivePairs pair_collectives(const std::vector<const Timeline*>& timelines,
                                 const std::vector<int>& ranks);

}  // namespace traceml
