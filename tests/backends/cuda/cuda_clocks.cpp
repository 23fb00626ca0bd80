#include "tests/backends/cuda/cuda_devices.h"
#include "tests/backends/device_clock_contract.h"

namespace traceml {
namespace {

class CudaDevice final : public ClockedDevice {
 public:
  explicit CudaDevice(std::uint32_t marks)
      : delay_(make_gpu_delay(0)), clock_(make_cuda_device_clock(0, marks)) {}
  DeviceClock& clock() override { return *clock_; }
  DeviceQueue queue() override { return queue_of(stream_); }
  void enqueue(Nanos work) override { delay_->enqueue(queue(), work); }
  void finish() override { check(cudaStreamSynchronize(stream_.get())); }

 private:
  std::unique_ptr<DeviceDelay> delay_;
  Stream stream_ = make_stream();
  std::unique_ptr<DeviceClock> clock_;
};

}  // namespace

std::vector<DeviceClockCase> device_clock_cases() {
  return {
      {.name = "cuda", .why_not = why_no_gpu(), .queues = true, .make = [](std::uint32_t marks) {
         return std::make_unique<CudaDevice>(marks);
       }}};
}

}  // namespace traceml
