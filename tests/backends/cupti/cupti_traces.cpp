#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cupti/cupti_backend.h"
#include "tests/backends/activity_trace_contract.h"
#include "tests/backends/cuda/cuda_devices.h"

namespace traceml {
namespace {

class CuptiDevice final : public TracedDevice {
 public:
  ActivityTrace& trace() override { return *trace_; }
  void launch(Nanos work) override { delay_->enqueue(queue_of(stream_), work); }
  void launch_beside(Nanos work) override { delay_->enqueue(queue_of(beside_), work); }
  void finish() override { check(cudaStreamSynchronize(stream_.get())); }
  Nanos now() override { return std::chrono::steady_clock::now().time_since_epoch(); }

 private:
  std::unique_ptr<DeviceDelay> delay_ = make_gpu_delay(0);
  Stream stream_ = make_stream();
  Stream beside_ = make_stream();
  std::unique_ptr<ActivityTrace> trace_ = make_cupti_trace();
};

}  // namespace

std::vector<ActivityTraceCase> activity_trace_cases() {
  return {{.name = "cupti", .why_not = why_no_gpu(), .make = [] {
             return std::make_unique<CuptiDevice>();
           }}};
}

}  // namespace traceml
