#include <algorithm>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cuda/cuda_handles.h"
#include "harness/backends/cuda/spin_kernel.h"

namespace traceml {
namespace {

class GpuDelay final : public DeviceDelay {
 public:
  explicit GpuDelay(int device) {
    use_gpu(device);
    check(load_spin_kernel());
  }

  void enqueue(DeviceQueue queue, Nanos duration) override {
    const std::int64_t duration_ns = std::max<std::int64_t>(duration.count(), 0);
    check(launch_spin_kernel(stream_of(queue), duration_ns));
  }
};

}  // namespace

std::unique_ptr<DeviceDelay> make_gpu_delay(int device) {
  return std::make_unique<GpuDelay>(device);
}

}  // namespace traceml
