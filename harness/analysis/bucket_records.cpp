#include "harness/analysis/bucket_records.h"

#include <algorithm>

namespace traceml {

std::vector<BucketRecord> bucket_records(const CampaignFacts& facts, ArmIndex arm,
                                         const RankRecords& records,
                                         const std::vector<WindowIndex>& valid,
                                         bool (*counts)(const CollectiveRecord&)) {
  std::vector<BucketRecord> found;
  for (const CollectiveRecord& record : records.collectives) {
    const bool timed_step = record.arm == arm && record.window &&
                            record.step.value >= facts.settle_steps &&
                            std::binary_search(valid.begin(), valid.end(), *record.window);
    if (!timed_step || !counts(record)) continue;
    found.push_back({{*record.window, record.step, record.bucket}, &record});
  }
  const auto before = [](const BucketRecord& a, const BucketRecord& b) { return a.key < b.key; };
  if (!std::is_sorted(found.begin(), found.end(), before)) {
    std::stable_sort(found.begin(), found.end(), before);
  }
  found.erase(
      std::unique(found.begin(), found.end(),
                  [](const BucketRecord& a, const BucketRecord& b) { return a.key == b.key; }),
      found.end());
  return found;
}

}  // namespace traceml
