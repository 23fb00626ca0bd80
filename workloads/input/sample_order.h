#pragma once

#include <cstdint>

#include "harness/core/ids.h"

namespace traceml {

// A place in the shuffled order of an epoch.
struct SamplePosition {
  std::int64_t epoch = 0;
  std::int64_t position = 0;  // 0 .. images - 1
  friend bool operator==(const SamplePosition&, const SamplePosition&) = default;
};

// Which sample lies where in a rank's endless sequence of batches. Each epoch is a permutation of
// the data set that depends on seed and epoch alone. World batch g of an epoch covers world_size *
// batch positions in a row; rank r has the r-th part of them. What does not fill a world batch is
// dropped, so that every rank has the same number of batches. Holds no table and no state: every
// thread may ask for any place.
class SampleOrder {
 public:
  // Throws UsageError where the data set does not fill one batch on each rank.
  SampleOrder(std::uint64_t seed, std::int64_t images, std::int64_t batch, Rank rank,
              int world_size);

  std::int64_t batches_per_epoch() const { return batches_per_epoch_; }

  // Row `row` of the rank's batch `batch`, counted over all epochs.
  SamplePosition position(std::int64_t batch, std::int64_t row) const;

  // Index into the data set.
  std::int64_t sample(SamplePosition at) const;

  // The place behind `at` in the same epoch's permutation, the first one behind the last: what
  // replaces a sample that cannot be decoded.
  SamplePosition following(SamplePosition at) const;

 private:
  std::uint64_t seed_;
  std::int64_t images_;
  std::int64_t batch_;
  std::int64_t rank_;
  std::int64_t world_size_;
  std::int64_t batches_per_epoch_;
  int half_bits_ = 3;
};

}  // namespace traceml
