#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "workloads/gpu_input/hardware_batch.h"

namespace traceml {

// The mini-batches under way in the JPEG engines, shared by the workers: few, since each holds
// memory and a state of nvJPEG that takes long to make. Any thread.
class HardwarePool {
 public:
  HardwarePool(const std::shared_ptr<const NvjpegSession>& session, int batches, int rows,
               bool waits);

  // A mini-batch, given back when it goes.
  class Loan {
   public:
    Loan(HardwarePool& pool, HardwareBatch& batch) : pool_(&pool), batch_(&batch) {}
    ~Loan() { pool_->give_back(*batch_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    HardwareBatch& operator*() const { return *batch_; }
    HardwareBatch* operator->() const { return batch_; }

   private:
    HardwarePool* pool_;
    HardwareBatch* batch_;
  };

  // The one that was given back first, begun anew: waits until the engines are done with it.
  std::unique_ptr<Loan> take();

  // Waits for all that was queued. Nothing is lent.
  void finish();

 private:
  void give_back(HardwareBatch& batch);

  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<std::unique_ptr<HardwareBatch>> batches_;
  std::deque<HardwareBatch*> idle_;
};

}  // namespace traceml
