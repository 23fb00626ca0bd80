#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cuda/cuda_handles.h"

namespace traceml {
namespace {

std::size_t bytes_of(const BucketView& bucket) {
  const std::size_t width = bucket.type == ElementType::kFloat32 ? 4 : 2;
  return static_cast<std::size_t>(bucket.count) * width;
}

// A thread of its own copies, so that backward waits neither for a copy nor for the other ranks.
// The host's collective tells of no single bucket that it is done, so all are copied back together.
class StagedCollective final : public Collective {
 public:
  StagedCollective(Collective& host, int device)
      : host_(host), device_(device), name_(std::string("staged ") + host.name()) {
    use_gpu(device);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    copies_.reset(stream);
    // Waiting for it sleeps: spinning would take a core from loaders or from MPI.
    arrived_ = make_event(cudaEventDisableTiming | cudaEventBlockingSync);
    returned_ = make_event(cudaEventDisableTiming);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  ~StagedCollective() override {
    thread_.request_stop();
    thread_.join();
    // The last copies may still read pinned memory, and in an open step the host's collective may
    // still write it: then it is left to the process.
    if (cudaStreamSynchronize(copies_.get()) != cudaSuccess) forget_last_error();
    if (handed_over_ == 0) return;
    for (Stage& stage : stages_) static_cast<void>(stage.host.release());
  }

  void all_reduce_mean(const BucketView& bucket) override {
    const std::lock_guard lock(mutex_);
    if (handed_over_ == stages_.size()) {
      stages_.push_back({.bucket = {}, .ready = make_event(cudaEventDisableTiming)});
    }
    Stage& stage = stages_[handed_over_];
    stage.bucket = bucket;
    if (bucket.queue != DeviceQueue{}) {
      check(cudaEventRecord(stage.ready.get(), stream_of(bucket.queue)));
    }
    ++handed_over_;
    changed_.notify_all();
  }

  void wait(DeviceQueue queue) override {
    {
      std::unique_lock lock(mutex_);
      if (handed_over_ == 0 && !error_) return;
      closing_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !closing_ || error_; });
      if (error_) std::rethrow_exception(error_);
    }
    if (queue == DeviceQueue{}) {
      check(cudaEventSynchronize(returned_.get()));
    } else {
      check(cudaStreamWaitEvent(stream_of(queue), returned_.get()));
    }
  }

  void set_recording(bool on) override { host_.set_recording(on); }
  std::vector<CollectiveRecord> take_records() override { return host_.take_records(); }
  const char* name() const override { return name_.c_str(); }

 private:
  // The n-th bucket of a step; kept from step to step.
  struct Stage {
    BucketView bucket;
    Event ready;  // the bucket is, in its queue
    PinnedMemory host{};
    std::size_t capacity_bytes = 0;
  };

  void run(const std::stop_token& stop) {
    try {
      check(cudaSetDevice(device_));
      while (serve_one(stop)) {
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      changed_.notify_all();
    }
  }

  // Sleeps until there is a bucket to fetch or a step to close. False: asked to stop.
  bool serve_one(const std::stop_token& stop) {
    Stage* next = nullptr;
    {
      std::unique_lock lock(mutex_);
      const auto has_work = [this] { return fetched_ < handed_over_ || closing_; };
      changed_.wait(lock, stop, has_work);
      if (stop.stop_requested()) return false;
      if (fetched_ < handed_over_) next = &stages_[fetched_++];
    }
    if (next != nullptr) {
      fetch(*next);
    } else {
      close_step();
    }
    return true;
  }

  void fetch(Stage& stage) {
    const std::size_t bytes = bytes_of(stage.bucket);
    if (bytes > stage.capacity_bytes) {
      void* memory = nullptr;
      check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
      stage.host.reset(memory);
      stage.capacity_bytes = bytes;
    }
    if (stage.bucket.queue != DeviceQueue{}) {
      check(cudaStreamWaitEvent(copies_.get(), stage.ready.get()));
    }
    check(cudaMemcpyAsync(stage.host.get(), stage.bucket.data, bytes, cudaMemcpyDefault,
                          copies_.get()));
    check(cudaEventRecord(arrived_.get(), copies_.get()));
    check(cudaEventSynchronize(arrived_.get()));
    BucketView in_host_memory = stage.bucket;
    in_host_memory.data = stage.host.get();
    in_host_memory.queue = {};
    host_.all_reduce_mean(in_host_memory);
  }

  void close_step() {
    host_.wait({});
    // All of the step's: whoever hands over is waiting for this.
    for (std::size_t i = 0; i < fetched_; ++i) {
      const Stage& stage = stages_[i];
      check(cudaMemcpyAsync(stage.bucket.data, stage.host.get(), bytes_of(stage.bucket),
                            cudaMemcpyDefault, copies_.get()));
    }
    check(cudaEventRecord(returned_.get(), copies_.get()));
    const std::lock_guard lock(mutex_);
    fetched_ = 0;
    handed_over_ = 0;
    closing_ = false;
    changed_.notify_all();
  }

  Collective& host_;
  const int device_;
  const std::string name_;
  Stream copies_;
  Event arrived_;   // one bucket in host memory; the thread's own
  Event returned_;  // all buckets of a step back in their place

  std::mutex mutex_;  // held for moments only
  std::condition_variable_any changed_;
  std::deque<Stage> stages_;     // grows at the end, so that references stay good
  std::size_t handed_over_ = 0;  // buckets of this step
  std::size_t fetched_ = 0;      // of them, in host memory or on the way
  bool closing_ = false;         // somebody waits for the step's end
  std::exception_ptr error_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Collective> make_staged_collective(Collective& host, int device) {
  return std::make_unique<StagedCollective>(host, device);
}

}  // namespace traceml
