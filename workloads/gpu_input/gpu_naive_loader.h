#pragma once

#include <memory>
#include <thread>

#include "workloads/gpu_input/gpu_loader.h"

namespace traceml {

// How GPU decoding is often done, for comparison (input.decode: gpu_naive): worker threads read
// files, and the training thread decodes them, one crop at a time, in the training queue.
class GpuNaiveLoader final : public GpuBatchSource {
 public:
  GpuNaiveLoader(const GpuLoaderOptions& options, const SampleOrder& order,
                 std::shared_ptr<const Dataset> dataset,
                 std::shared_ptr<const NvjpegSession> session);
  ~GpuNaiveLoader() override;

  void start(std::int64_t first) override;
  GpuBatch next() override;
  bool decodes_on_queue() const override { return true; }
  void decode(const GpuBatch& batch) override;
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

  void end_threads();
  void work(FileReader& reader);
  void read_unit(FileReader& reader, const WorkUnit& unit);
  void decode_row(const GpuBatch& batch, int row, Slot& slot);
  Slot& slot_at(int slot) { return rows_[static_cast<std::size_t>(slot)]; }
  cudaStream_t training() const {
    return reinterpret_cast<cudaStream_t>(options_.place.training.handle);
  }

  GpuLoaderOptions options_;
  SampleOrder order_;
  std::shared_ptr<const Dataset> dataset_;
  SlotRing ring_;
  GpuSlots slots_;
  std::vector<Slot> rows_;
  GpuWorker decoder_;  // of the training thread
  std::int64_t first_ = 0;
  std::int64_t delivered_ = 0;
  bool parked_ = true;
  std::size_t most_records_ = 0;
  BatchRecords records_;
  Nanos started_{};
  RowTotals totals_;
  std::int64_t by_cuda_ = 0;
  std::vector<std::unique_ptr<FileReader>> readers_;
  std::vector<std::thread> threads_;
  std::string placement_;
};

}  // namespace traceml
