#pragma once
// The exchange's records of one rank, as all_reduce and stragglers go through them.

#include <compare>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/core/ids.h"
#include "harness/core/records.h"

namespace traceml {

struct BucketKey {
  WindowIndex window;
  StepIndex step;
  int bucket = 0;
  friend auto operator<=>(const BucketKey&, const BucketKey&) = default;
};

inline bool same_step(const BucketKey& a, const BucketKey& b) {
  return a.window == b.window && a.step == b.step;
}

struct BucketRecord {
  BucketKey key;
  const CollectiveRecord* record = nullptr;
};

// Of the arm's timed steps in windows of `valid`, which is ascending: those records that
// `counts(record)` takes, in the order of their keys, one of each key. `records` outlives them.
std::vector<BucketRecord> bucket_records(const CampaignFacts& facts, ArmIndex arm,
                                         const RankRecords& records,
                                         const std::vector<WindowIndex>& valid,
                                         bool (*counts)(const CollectiveRecord&));

}  // namespace traceml
