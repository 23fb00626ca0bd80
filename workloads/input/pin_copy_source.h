#pragma once
// A thread between a loader and its consumer, as PyTorch's DataLoader has one with pin_memory=True.

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "workloads/input/batch_source.h"
#include "workloads/input/image_memory.h"
#include "workloads/input/stage_times.h"

namespace traceml {

// Copies each finished batch of `loader` on a thread of its own into memory of its own, which is
// what memory() tells of and is meant to be page-locked; the loader's slot goes back at once. One
// batch may wait beside the two that the consumer may hold. Records tell when the consumer asked
// for a batch and had it; what it cost to make is the loader's, `released` when its memory was
// free.
class PinCopySource final : public BatchSource {
 public:
  // `loader` has workers. `clock` outlives the source.
  explicit PinCopySource(std::unique_ptr<BatchSource> loader,
                         const StageClock* clock = &real_stage_clock());
  ~PinCopySource() override;

  void start(std::int64_t first) override;
  HostBatch next() override;
  void release(const HostBatch& batch) override;
  std::optional<std::int64_t> ready() const override;
  void park() override;
  void record(std::size_t most) override;
  std::vector<InputRecord> records() override;
  std::vector<std::span<std::byte>> memory() override;
  std::map<std::string, std::int64_t> counters() const override;
  std::vector<std::string> replaced_files() const override { return loader_->replaced_files(); }
  std::string threads() const override;

 private:
  struct Slot {
    ImageMemory images;
    std::vector<std::int64_t> labels;
    bool free = true;
  };
  // How the consumer came by a batch.
  struct Taken {
    Nanos asked{};
    Nanos taken{};
    std::optional<std::int64_t> queue_depth;
  };

  void run();  // the thread: until stopping_, or the loader throws
  std::optional<int> wait_for_a_slot();
  HostBatch copied(const HostBatch& batch, int slot);

  std::unique_ptr<BatchSource> loader_;
  const StageClock& clock_;
  std::size_t image_bytes_ = 0;
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::vector<HostBatch> finished_;  // in order; has room for one a slot
  std::exception_ptr fault_;         // of the loader
  bool stopping_ = true;

  std::int64_t copies_ = 0;
  std::size_t most_records_ = 0;
  std::vector<Taken> taken_;  // of the consumer; room made by start()
};

}  // namespace traceml
