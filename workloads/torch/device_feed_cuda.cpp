#include "workloads/torch/device_feed_cuda.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "workloads/torch/cuda_event_cuda.h"
#include "workloads/torch/loader_tensors.h"

namespace traceml {
namespace {

// Page-locks the loader's memory while it lives.
class PageLocks {
 public:
  explicit PageLocks(const std::vector<std::span<std::byte>>& regions) {
    for (const std::span<std::byte> region : regions) {
      C10_CUDA_CHECK(cudaHostRegister(region.data(), region.size(), cudaHostRegisterDefault));
      locked_.push_back(region.data());
    }
  }
  ~PageLocks() {
    for (void* memory : locked_) static_cast<void>(cudaHostUnregister(memory));
  }
  PageLocks(const PageLocks&) = delete;
  PageLocks& operator=(const PageLocks&) = delete;

 private:
  std::vector<void*> locked_;
};

// A place for a batch on the device.
struct DeviceSlot {
  ArrivedBatch batch;
  TorchEvent copied = make_torch_event(cudaEventDisableTiming);
  TorchEvent consumed = make_torch_event(cudaEventDisableTiming);
};

// Begin and end of a copy, kept until the feed is parked.
struct TimedCopy {
  TorchEvent begin = make_torch_event(cudaEventDefault);
  TorchEvent end = make_torch_event(cudaEventDefault);
};
constexpr std::size_t kMostTimedCopies = 128;  // of a window; those beyond have no record

// What the driver's thread does once a copy has run.
struct Return {
  BatchSource* source = nullptr;
  HostBatch batch;
  std::atomic<int>* slots_out = nullptr;
};

void give_back(void* argument) {
  const auto* finished = static_cast<const Return*>(argument);
  finished->source->release(finished->batch);
  finished->slots_out->fetch_sub(1);
  finished->slots_out->notify_one();
}

class DeviceFeed final : public BatchFeed {
 public:
  DeviceFeed(std::unique_ptr<BatchSource> source, const ArmConfig& arm,
             c10::cuda::CUDAStream training)
      : source_(std::move(source)),
        shape_(arm),
        training_(training),
        copying_(c10::cuda::getStreamFromPool(false, training.device_index())),
        blocking_(arm.input.copy == Copy::kBlocking),
        returns_(source_->memory().size() / 2),
        timed_(kMostTimedCopies) {
    if (arm.input.pinned) locks_.emplace(source_->memory());
    for (DeviceSlot& slot : slots_) slot.batch = shape_.empty_on(training.device());
  }

  ~DeviceFeed() override {
    // The driver's thread may still give slots back.
    static_cast<void>(cudaStreamSynchronize(copying_));
  }

  void start(std::int64_t first) override {
    copies_ = 0;
    copied_in_.clear();
    source_->start(first);
  }

  ArrivedBatch next() override {
    wait_for_a_host_slot();
    host_ = source_->next();
    slots_out_.fetch_add(1);
    shape_.require_full(*host_);
    return current().batch;
  }

  bool transfers() const override { return true; }

  void transfer() override {
    DeviceSlot& slot = current();
    if (blocking_) {
      copy_on(training_, slot);
      C10_CUDA_CHECK(cudaStreamSynchronize(training_));
      give_back_now();
    } else {
      if (copies_ >= std::ssize(slots_)) {
        C10_CUDA_CHECK(cudaStreamWaitEvent(copying_, slot.consumed.get()));
      }
      copy_on(copying_, slot);
      C10_CUDA_CHECK(cudaEventRecord(slot.copied.get(), copying_));
      Return& finished = returns_.at(static_cast<std::size_t>(host_->slot));
      finished = {source_.get(), *host_, &slots_out_};
      C10_CUDA_CHECK(cudaLaunchHostFunc(copying_, give_back, &finished));
      C10_CUDA_CHECK(cudaStreamWaitEvent(training_, slot.copied.get()));
    }
    host_.reset();
  }

  void release() override {
    C10_CUDA_CHECK(cudaEventRecord(current().consumed.get(), training_));
    ++copies_;
  }

  void park() override {
    if (host_) give_back_now();
    host_.reset();
    C10_CUDA_CHECK(cudaStreamSynchronize(copying_));
    C10_CUDA_CHECK(cudaStreamSynchronize(training_));
    read_times();
    source_->park();
  }

  std::optional<std::int64_t> ready() const override { return source_->ready(); }

  std::map<std::string, std::int64_t> counters() const override { return source_->counters(); }
  void time_copies(bool on) override { timing_ = on; }
  CopyTimes copies() const override { return times_; }
  std::vector<std::string> replaced_files() const override { return source_->replaced_files(); }
  void record(std::size_t most) override { source_->record(most); }

  std::vector<InputRecord> records() override {
    std::vector<InputRecord> records = source_->records();
    for (std::size_t i = 0; i < std::min(records.size(), copied_in_.size()); ++i) {
      records[i].copy = copied_in_[i];
    }
    return records;
  }

 private:
  // A loader without workers decodes into a free slot at once and waits for none.
  void wait_for_a_host_slot() {
    const int slots = static_cast<int>(returns_.size());
    for (int out = slots_out_; out >= slots; out = slots_out_) slots_out_.wait(out);
  }

  void give_back_now() {
    source_->release(*host_);
    slots_out_.fetch_sub(1);
  }

  DeviceSlot& current() { return slots_[static_cast<std::size_t>(copies_) % slots_.size()]; }

  void copy_on(cudaStream_t stream, DeviceSlot& slot) {
    const bool timed = timing_ && copies_ < std::ssize(timed_);
    const TimedCopy& times = timed_[timed ? static_cast<std::size_t>(copies_) : 0];
    if (timed) C10_CUDA_CHECK(cudaEventRecord(times.begin.get(), stream));
    const at::Tensor& images = slot.batch.images;
    const at::Tensor& labels = slot.batch.labels;
    C10_CUDA_CHECK(cudaMemcpyAsync(images.mutable_data_ptr(), host_->images, images.nbytes(),
                                   cudaMemcpyHostToDevice, stream));
    C10_CUDA_CHECK(cudaMemcpyAsync(labels.mutable_data_ptr(), host_->labels, labels.nbytes(),
                                   cudaMemcpyHostToDevice, stream));
    if (timed) C10_CUDA_CHECK(cudaEventRecord(times.end.get(), stream));
  }

  // All copies have run.
  void read_times() {
    const auto count = timing_ ? std::min<std::int64_t>(copies_, std::ssize(timed_)) : 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const TimedCopy& copy = timed_[static_cast<std::size_t>(i)];
      float ms = 0;
      C10_CUDA_CHECK(cudaEventElapsedTime(&ms, copy.begin.get(), copy.end.get()));
      copied_in_.push_back(
          std::chrono::duration_cast<Nanos>(std::chrono::duration<float, std::milli>(ms)));
      times_.total += copied_in_.back();
    }
    times_.count += count;
    times_.bytes_each = shape_.bytes();
    copies_ = 0;
  }

  std::unique_ptr<BatchSource> source_;
  LoaderTensors shape_;
  c10::cuda::CUDAStream training_;
  c10::cuda::CUDAStream copying_;
  bool blocking_;
  std::optional<PageLocks> locks_;
  std::array<DeviceSlot, 2> slots_;
  std::vector<Return> returns_;  // by host slot
  std::vector<TimedCopy> timed_;
  std::atomic<int> slots_out_{0};
  std::optional<HostBatch> host_;  // waited for, its copy not yet queued
  std::int64_t copies_ = 0;        // since start()
  bool timing_ = false;
  CopyTimes times_;
  std::vector<Nanos> copied_in_;  // of the timed copies since start(), in order
};

}  // namespace

std::unique_ptr<BatchFeed> make_device_feed(std::unique_ptr<BatchSource> source,
                                            const ArmConfig& arm, c10::cuda::CUDAStream training) {
  return std::make_unique<DeviceFeed>(std::move(source), arm, training);
}

}  // namespace traceml
