#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/plan/config.h"
#include "workloads/gpu_input/gpu_batches.h"
#include "workloads/gpu_input/gpu_slots.h"
#include "workloads/input/batch_records.h"
#include "workloads/input/loader_threads.h"
#include "workloads/input/row_totals.h"
#include "workloads/input/sample_order.h"
#include "workloads/input/slot_ring.h"
#include "workloads/input/stage_times.h"

namespace traceml {

struct GpuLoaderOptions {
  int workers = 2;
  int prefetch = 2;  // batches
  double hardware_share = 0;
  SampleType dtype = SampleType::kUint8;
  OnError on_error = OnError::kStop;
  int image_size = 224;
  int batch_size = 1;
  std::uint64_t seed = 0;
  Cache cache = Cache::kWarm;
  LoaderCores cores{};
  GpuPlace place;
  std::string facts;                              // for facts()
  int unit_rows = 0;                              // that a worker makes at a time; 0: chosen
  int mini_batches = 0;                           // in the engines at once, at most; 0: chosen
  bool waits_for_engines = true;                  // false: HardwareBatch without its wait
  const StageClock* clock = &real_stage_clock();  // outlives the loader
};

// What the loaders of a GPU have in common: a ring of slots in device memory, threads that fill it,
// records of what the training thread takes from it. A derived destructor first ends threads_.
class GpuLoaderBase : public GpuBatchSource {
 public:
  void start(std::int64_t first) override;
  std::int64_t ready() const override { return ring_.ready(); }
  void record(std::size_t most) override { most_records_ = most; }
  std::vector<InputRecord> records() override { return records_.taken(*dataset_); }
  std::vector<std::string> replaced_files() const override { return totals_.replaced_files(); }
  std::string threads() const override { return threads_.placement(); }
  std::string facts() const override { return options_.facts; }

 protected:
  // Slots for the read-ahead and `held` batches, each made in units of `unit_rows` rows and in at
  // most `parts` parts.
  GpuLoaderBase(const GpuLoaderOptions& options, const SampleOrder& order,
                std::shared_ptr<const Dataset> dataset, int held, int unit_rows, int parts);

  // next() in two halves: waits for the next batch; records it as taken, whose samples took
  // `times`.
  GpuBatch take();
  void delivered(const GpuBatch& batch, std::span<const StageTimes> times);

  // The slot is the workers' again.
  void give_back(const GpuBatch& batch);

  // No worker is at work from then on.
  void park_workers();

  cudaStream_t training() const {
    return reinterpret_cast<cudaStream_t>(options_.place.training.handle);
  }

  GpuLoaderOptions options_;
  SampleOrder order_;
  std::shared_ptr<const Dataset> dataset_;
  SlotRing ring_;
  GpuSlots slots_;
  std::int64_t first_ = 0;  // batch number of the ring's batch 0
  BatchRecords records_;
  Nanos started_{};  // recorded: when the workers were let go
  RowTotals totals_;
  LoaderThreads threads_{ring_};

 private:
  std::int64_t taken_ = 0;  // since start()
  bool parked_ = true;
  std::size_t most_records_ = 0;  // from the next start() on
  // Of the batch that is being taken, where it is recorded.
  Nanos asked_{};
  std::optional<std::int64_t> depth_;
};

}  // namespace traceml
