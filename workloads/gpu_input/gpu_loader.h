#pragma once

#include <memory>
#include <vector>

#include "workloads/gpu_input/gpu_loader_base.h"
#include "workloads/gpu_input/gpu_worker.h"
#include "workloads/gpu_input/hardware_pool.h"
#include "workloads/input/sample_tries.h"

namespace traceml {

// Batches that worker threads read, have decoded and resized in device memory. A worker makes some
// rows of a batch at a time: it hands the engines their share of them, decodes the others in the
// meantime, and goes on as soon as both are queued; nobody waits for the device but for room. As
// many slots as the read-ahead and four more.
class GpuLoader final : public GpuLoaderBase {
 public:
  // Throws UsageError for a share where there are no engines.
  GpuLoader(const GpuLoaderOptions& options, const SampleOrder& order,
            std::shared_ptr<const Dataset> dataset, std::shared_ptr<const NvjpegSession> session);
  ~GpuLoader() override;

  GpuBatch next() override;
  void release(const GpuBatch& batch) override;
  void park() override;
  std::map<std::string, std::int64_t> counters() const override;

 private:
  // Of the rows of a slot's batch; written by the worker that makes them.
  struct Rows {
    std::vector<RowFacts> facts;
    std::vector<DecodedBy> by;
    std::vector<StageTimes> times;  // of recorded batches
  };

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

  int unit_rows_;
  std::vector<Rows> rows_;
  std::unique_ptr<HardwarePool> engines_;  // null: none are used
  std::vector<std::unique_ptr<GpuWorker>> workers_;
  std::int64_t by_hardware_ = 0;
  std::int64_t by_cuda_ = 0;
};

}  // namespace traceml
