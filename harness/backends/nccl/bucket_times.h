#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "harness/backends/nccl/nccl_internal.h"
#include "harness/core/records.h"
#include "harness/core/units.h"
#include "harness/ports/collective.h"

namespace traceml {

// Timing events of one bucket.
struct BucketEvents {
  EventHandle ready;  // on the queue of the bucket: its gradients are there
  EventHandle start;  // on the communication stream, behind the wait for `ready`
  EventHandle end;
};

// The records of buckets and the pool of their events.
class BucketTimes {
 public:
  explicit BucketTimes(std::size_t buckets);

  // Begins a record. The events are the caller's to record; null: the pool is exhausted, and the
  // record has no times. Does not allocate while the pool lasts.
  const BucketEvents* begin(const BucketView& bucket, Nanos issued);

  // The records since the last call, in order, once the device has done all of it; an event that
  // has not come or failed leaves nulls. Times count from the first arrival. Enlarges a pool that
  // was exhausted.
  std::vector<CollectiveRecord> take();

 private:
  void enlarge(std::size_t buckets);

  std::vector<BucketEvents> pool_;
  std::vector<CollectiveRecord> records_;  // the i-th has the i-th events, where there are so many
};

}  // namespace traceml
