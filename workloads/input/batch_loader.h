#pragma once

#include <memory>

#include "harness/plan/config.h"
#include "workloads/input/batch_records.h"
#include "workloads/input/batch_source.h"
#include "workloads/input/dataset.h"
#include "workloads/input/image_memory.h"
#include "workloads/input/loader_cores.h"
#include "workloads/input/loader_threads.h"
#include "workloads/input/row_totals.h"
#include "workloads/input/sample_order.h"
#include "workloads/input/sample_pipeline.h"
#include "workloads/input/sample_tries.h"
#include "workloads/input/slot_ring.h"
#include "workloads/input/stage_times.h"

namespace traceml {

struct LoaderOptions {
  int workers = 4;  // 0: next() decodes
  Scheduling scheduling = Scheduling::kPerSample;
  int prefetch = 2;  // batches; per worker with kPerBatch
  SampleType dtype = SampleType::kUint8;
  OnError on_error = OnError::kStop;
  int image_size = 224;
  int batch_size = 1;
  std::uint64_t seed = 0;
  Cache cache = Cache::kWarm;
  ScaledDecode scaled_decode = ScaledDecode::kOff;
  LoaderCores cores{};  // of the threads; none: those of the thread that makes the loader
  const StageClock* clock = &real_stage_clock();  // outlives the loader
};

// Batches of a data set, made by threads of this process in a ring of preallocated slots: the
// read-ahead and two more, so that the consumer may hold two batches. The threads are made with the
// loader, keep to LoaderOptions::cores at batch priority, and sleep while parked.
class BatchLoader final : public BatchSource {
 public:
  // Throws UsageError for options that cannot work.
  BatchLoader(const LoaderOptions& options, const SampleOrder& order,
              std::shared_ptr<const Dataset> dataset);
  ~BatchLoader() override;

  void start(std::int64_t first) override;
  HostBatch next() override;
  void release(const HostBatch& batch) override;
  std::optional<std::int64_t> ready() const override;
  void park() override;
  void record(std::size_t most) override { most_records_ = most; }
  std::vector<InputRecord> records() override;
  std::vector<std::span<std::byte>> memory() override;
  std::map<std::string, std::int64_t> counters() const override;
  std::vector<std::string> replaced_files() const override;
  std::string threads() const override { return threads_.placement(); }

 private:
  struct Slot {
    ImageMemory images;
    std::vector<std::int64_t> labels;
    std::vector<RowFacts> rows;
    std::vector<StageTimes> times;  // by row; of recorded batches
  };

  void work(SamplePipeline& pipeline);
  void fill(SamplePipeline& pipeline, const WorkUnit& unit);
  StageWatch watch_row(StageTimes& times) const;
  void make_row(SamplePipeline& pipeline, std::int64_t batch, int row, Slot& slot,
                StageWatch& watch);

  LoaderOptions options_;
  SampleOrder order_;
  std::shared_ptr<const Dataset> dataset_;
  std::size_t row_bytes_;
  SlotRing ring_;
  std::vector<Slot> slots_;
  std::int64_t first_ = 0;      // batch number of the ring's batch 0
  std::int64_t delivered_ = 0;  // since start()
  bool parked_ = true;
  std::size_t most_records_ = 0;  // from the next start() on
  BatchRecords records_;
  Nanos started_{};  // recorded: when the workers were let go
  RowTotals totals_;
  std::vector<std::unique_ptr<SamplePipeline>> pipelines_;  // one a thread
  LoaderThreads threads_{ring_};
};

}  // namespace traceml
