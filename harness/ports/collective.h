#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/records.h"
#include "harness/ports/device_clock.h"

namespace traceml {

enum class ElementType { kFloat32, kBfloat16 };

// A gradient bucket: contiguous, `count` elements, ready once the work queued so far in `queue` is
// done.
struct BucketView {
  int bucket = 0;  // position in the order in which buckets are handed over
  void* data = nullptr;
  std::int64_t count = 0;
  ElementType type = ElementType::kFloat32;
  DeviceQueue queue;  // 0 = host: ready now
};

// Averages gradient buckets over all ranks while backward goes on. One step hands over its buckets
// in the same order on every rank; wait() closes the step.
class Collective {
 public:
  virtual ~Collective() = default;

  // Hands the bucket over and returns at once; the mean replaces its content later. Called by one
  // thread at a time (the one that runs the gradient hooks). The memory must stay put until wait()
  // has returned.
  virtual void all_reduce_mean(const BucketView& bucket) = 0;

  // Returns when all buckets handed over hold their mean: host memory now, device memory for work
  // queued from now on in `queue`. Throws RunError if a collective failed.
  virtual void wait(DeviceQueue queue) = 0;

  // Whether records are kept from now on (off in bare arms: then nothing is timed).
  virtual void set_recording(bool on) = 0;

  // The records since the last call, with bucket, bytes, times and clock set; arm, window and step
  // are the caller's to fill: records come in steps of equal bucket counts, in order. Call between
  // windows only.
  virtual std::vector<CollectiveRecord> take_records() = 0;

  // The run is ending in a failure: stops at once what other ranks, or this one's device, may never
  // bring to an end. Any thread, at any time; returns within two seconds. Later calls may throw
  // RunError. An exchange that needs nothing of the kind does nothing.
  virtual void abort() noexcept {}

  // "mpi", "nccl", "threads", "single": for reports.
  virtual const char* name() const = 0;
};

}  // namespace traceml
