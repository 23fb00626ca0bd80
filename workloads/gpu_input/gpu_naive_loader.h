#pragma once

#include <memory>
#include <vector>

#include "workloads/gpu_input/gpu_loader_base.h"
#include "workloads/gpu_input/gpu_worker.h"
#include "workloads/input/sample_tries.h"

namespace traceml {

// How GPU decoding is often done, for comparison (input.decode: gpu_naive): worker threads read
// files, and the training thread decodes them, one crop at a time, in the training queue.
class GpuNaiveLoader final : public GpuLoaderBase {
 public:
  GpuNaiveLoader(const GpuLoaderOptions& options, const SampleOrder& order,
                 std::shared_ptr<const Dataset> dataset,
                 std::shared_ptr<const NvjpegSession> session);
  ~GpuNaiveLoader() override;

  GpuBatch next() override;
  bool decodes_on_queue() const override { return true; }
  void decode(const GpuBatch& batch) override;
  void release(const GpuBatch& batch) override;
  void park() override;
  std::map<std::string, std::int64_t> counters() const override;

 private:
  // A file that was read for a row.
  struct ReadFile {
    std::vector<std::uint8_t> bytes;  // room
    std::size_t size = 0;
  };
  struct Slot {
    std::vector<ReadFile> files;
    std::vector<RowFacts> facts;
    std::vector<StageTimes> times;
  };

  void work(FileReader& reader);
  void read_unit(FileReader& reader, const WorkUnit& unit);
  void decode_row(const GpuBatch& batch, int row, Slot& slot);
  Slot& slot_at(int slot) { return rows_[static_cast<std::size_t>(slot)]; }

  std::vector<Slot> rows_;
  GpuWorker decoder_;  // of the training thread
  std::int64_t by_cuda_ = 0;
  std::vector<std::unique_ptr<FileReader>> readers_;
};

}  // namespace traceml
