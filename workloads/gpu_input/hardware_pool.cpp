#include "workloads/gpu_input/hardware_pool.h"

namespace traceml {

HardwarePool::HardwarePool(const std::shared_ptr<const NvjpegSession>& session, int batches,
                           int rows, bool waits) {
  for (int i = 0; i < batches; ++i) {
    batches_.push_back(std::make_unique<HardwareBatch>(session, rows, waits));
    idle_.push_back(batches_.back().get());
  }
}

std::unique_ptr<HardwarePool::Loan> HardwarePool::take() {
  std::unique_lock lock(mutex_);
  free_.wait(lock, [this] { return !idle_.empty(); });
  HardwareBatch* const batch = idle_.front();
  idle_.pop_front();
  lock.unlock();
  auto loan = std::make_unique<Loan>(*this, *batch);
  batch->begin();
  return loan;
}

void HardwarePool::finish() {
  for (const auto& batch : batches_) check_cuda(cudaStreamSynchronize(batch->stream()));
}

void HardwarePool::give_back(HardwareBatch& batch) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(&batch);
  free_.notify_one();
}

}  // namespace traceml
