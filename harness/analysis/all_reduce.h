#pragma once
// What the exchange of gradients took, bucket by bucket. A rank's times are only ever held against
// its own, so the ranks' clocks need not agree.

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analysis/outcome.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"
#include "harness/core/units.h"

namespace traceml {

struct Bandwidth {
  double algorithm_gb_per_s = 0;  // 10^9 bytes
  double bus_gb_per_s = 0;
};

// Of an all-reduce over `ranks`, as nccl-tests count it (doc/PERFORMANCE.md there):
// algbw = bytes / time, busbw = algbw * 2 (ranks - 1) / ranks. Null for a time that is none.
std::optional<Bandwidth> all_reduce_bandwidth(std::int64_t bytes, Seconds time, int ranks);

// One bucket of an arm: means over the timed steps of valid windows on which every rank has its
// times. Null where there is no such step.
struct BucketFigures {
  int bucket = 0;
  std::int64_t bytes = 0;
  std::int64_t steps = 0;       // those
  std::optional<Millis> wire;   // least over ranks of end - start: all were there
  std::optional<Millis> skew;   // what the rank that was in it for longest had beyond that
  std::optional<Millis> queue;  // arrival to start, mean over ranks: behind other buckets
  // What of it lay behind the arrival of the step's last bucket, when backward has no gradient left
  // to make; mean over ranks, and over the steps on which every rank has times of all buckets.
  std::optional<Millis> exposed;
  std::optional<Bandwidth> bandwidth;  // of `wire`
};

// The same over all buckets of a step.
struct AllReduceFigures {
  Clock clock = Clock::kCpu;           // of all times here
  std::optional<Millis> exposed;       // per step
  std::vector<BucketFigures> buckets;  // in the order in which they are handed over
};

// Null where an arm has no records or their clocks differ. `valid` lists the windows that count,
// ascending; `ranks` holds one entry a rank, null for one that reported nothing.
std::optional<AllReduceFigures> all_reduce_figures(const CampaignFacts& facts, ArmIndex arm,
                                                   const std::vector<const RankRecords*>& ranks,
                                                   const std::vector<WindowIndex>& valid);

}  // namespace traceml
