#pragma once

#include <memory>
#include <thread>

#include "harness/plan/config.h"
#include "workloads/gpu_input/gpu_batches.h"
#include "workloads/gpu_input/gpu_slots.h"
#include "workloads/gpu_input/gpu_worker.h"
#include "workloads/gpu_input/hardware_pool.h"
#include "workloads/input/batch_records.h"
#include "workloads/input/row_totals.h"
#include "workloads/input/sample_tries.h"
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

// Batches that worker threads read, have decoded and resized in device memory. A worker makes some
// rows of a batch at a time: it hands the engines their share of them, decodes the others in the
// meantime, and goes on as soon as both are queued; nobody waits for the device but for room. As
// many slots as the read-ahead and four more.
class GpuLoader final : public GpuBatchSource {
 public:
  // Throws UsageError for a share where there are no engines.
  GpuLoader(const GpuLoaderOptions& options, const SampleOrder& order,
            std::shared_ptr<const Dataset> dataset, std::shared_ptr<const NvjpegSession> session);
  ~GpuLoader() override;

  void start(std::int64_t first) override;
  GpuBatch next() override;
  void release(const GpuBatch& batch) override;
  std::int64_t ready() const override { return ring_.ready(); }
  void park() override;
  void record(std::size_t most) override { most_records_ = most; }
  std::vector<InputRecord> records() override { return records_.taken(*dataset_); }
  std::map<std::string, std::int64_t> counters() const override;
  std::vector<std::string> replaced_files() const override { return totals_.replaced_files(); }
  std::string threads() const override { return placement_; }
  std::string facts() const override { return options_.facts; }

 private:
  // Of the rows of a slot's batch; written by the worker that makes them.
  struct Rows {
    std::vector<RowFacts> facts;
    std::vector<DecodedBy> by;
    std::vector<StageTimes> times;  // of recorded batches
  };

  void end_threads();
  void work(int index);
  void make_unit(GpuWorker& worker, const WorkUnit& unit);
  void make_row(GpuWorker& worker, const WorkUnit& unit, int row, HardwareBatch* engines,
                CropResizeRequest* crops);
  void queue_engines(GpuWorker& worker, const WorkUnit& unit, int rows, HardwareBatch& engines,
                     CropResizeRequest* crops);
  void fail(const WorkUnit& unit, const char* problem);
  void count(Rows& rows);

  Rows& rows_of(int slot) { return rows_[static_cast<std::size_t>(slot)]; }
  int part_of(const WorkUnit& unit) const { return 2 * (unit.first_row / unit_rows_); }

  GpuLoaderOptions options_;
  SampleOrder order_;
  std::shared_ptr<const Dataset> dataset_;
  int unit_rows_;
  SlotRing ring_;
  GpuSlots slots_;
  std::vector<Rows> rows_;
  std::unique_ptr<HardwarePool> engines_;  // null: none are used
  std::vector<std::unique_ptr<GpuWorker>> workers_;
  std::int64_t first_ = 0;      // batch number of the ring's batch 0
  std::int64_t delivered_ = 0;  // since start()
  bool parked_ = true;
  std::size_t most_records_ = 0;  // from the next start() on
  BatchRecords records_;
  Nanos started_{};  // recorded: when the workers were let go
  RowTotals totals_;
  std::int64_t by_hardware_ = 0;
  std::int64_t by_cuda_ = 0;
  std::vector<std::thread> threads_;
  std::string placement_;
};

}  // namespace traceml
