#include <algorithm>
#include <memory>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cuda/cuda_handles.h"
#include "harness/backends/cuda/spin_kernel.h"

namespace traceml {
namespace {

class GpuDelay final : public DeviceDelay {
 public:
  explicit GpuDelay(int device) {
    use_gpu(device);
    check(load_spin_kernels());
    void* memory = nullptr;
    check(cudaMalloc(&memory, sizeof(unsigned long long)));
    noted_ns_.reset(static_cast<unsigned long long*>(memory));
  }

  void enqueue(DeviceQueue queue, Nanos duration) override {
    const std::int64_t duration_ns = std::max<std::int64_t>(duration.count(), 0);
    check(launch_spin_kernel(stream_of(queue), duration_ns));
  }

  bool begin_stretch(DeviceQueue queue) noexcept override {
    return queued(launch_note_time(stream_of(queue), noted_ns_.get()));
  }

  bool end_stretch(DeviceQueue queue, double fraction) noexcept override {
    return queued(launch_spin_share(stream_of(queue), noted_ns_.get(), std::max(fraction, 0.0)));
  }

 private:
  static bool queued(cudaError_t result) noexcept {
    if (result != cudaSuccess) forget_last_error();
    return result == cudaSuccess;
  }

  struct Free {
    void operator()(unsigned long long* memory) const noexcept {
      if (cudaFree(memory) != cudaSuccess) forget_last_error();
    }
  };
  std::unique_ptr<unsigned long long, Free> noted_ns_;  // device memory
};

}  // namespace

std::unique_ptr<DeviceDelay> make_gpu_delay(int device) {
  return std::make_unique<GpuDelay>(device);
}

}  // namespace traceml
