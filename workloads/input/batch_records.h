#pragma once
// The records of the batches that a loader delivers while it is recorded. Room is made beforehand:
// to keep one allocates nothing and takes no lock.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/records.h"
#include "workloads/input/batch_source.h"
#include "workloads/input/dataset.h"
#include "workloads/input/stage_times.h"

namespace traceml {

class BatchRecords {
 public:
  // Forgets all and makes room for `most` batches; those beyond have no record. 0: none is kept.
  // While no batch is out. `engines`: the loader uses the JPEG engines of a GPU.
  void start(std::size_t most, int slots, bool engines = false);

  bool on() const { return !records_.empty(); }

  // The consumer: it asked at `asked`, with `depth` batches ready, and has the batch whose samples
  // took `samples`, now.
  void take(const HostBatch& batch, Nanos asked, Nanos now, std::optional<std::int64_t> depth,
            std::span<const StageTimes> samples);

  // Any thread; the batch of `slot` is given back.
  void release(int slot, Nanos now);

  // While the loader is parked. `dataset`: where the samples are.
  std::vector<InputRecord> taken(const Dataset& dataset);

 private:
  std::vector<InputRecord> records_;
  std::vector<std::int64_t> slowest_;  // sample of each
  std::vector<InputRecord*> out_;      // by slot; null: without a record
  std::size_t count_ = 0;
  bool engines_ = false;
};

}  // namespace traceml
