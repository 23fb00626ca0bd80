#include <stdexcept>

#include "harness/core/error.h"
#include "workloads/torch/training_device.h"

namespace traceml {
namespace {

class CpuDevice final : public TrainingDevice {
 public:
  at::Device device() const override { return at::kCPU; }
  DeviceQueue queue() const override { return {}; }

  void require_fit(const WorkloadConfig& config) const override {
    if (config.precision == Precision::kTf32) {
      throw UsageError(
          "workload.precision: tf32 needs a CUDA device and this run is on the CPU; use fp32 or "
          "bf16");
    }
    if (config.execution == Execution::kGraph) {
      throw UsageError(
          "workload.execution: graph needs a CUDA device and this run is on the CPU; use eager");
    }
  }

  void use_precision(Precision /*precision*/) override {}

  // Each step ends when its work is done and its gradients have been exchanged.
  void finish() override {}

  std::unique_ptr<BatchFeed> feed_of(std::unique_ptr<BatchSource> source,
                                     const ArmConfig& arm) override {
    return make_loader_feed(std::move(source), arm);
  }

  std::unique_ptr<BatchFeed> decoding_feed_of(InputProvider& /*inputs*/,
                                              const ArmConfig& arm) override {
    throw UsageError("arm " + arm.name +
                     ": input.decode: gpu and gpu_naive need a CUDA device and this run is on the "
                     "CPU; use decode: cpu");
  }

  void normalize(const ArrivedBatch& bytes, const Normalisation& by,
                 const ArrivedBatch& out) override {
    at::Tensor images = out.images;
    at::addcmul_out(images, by.shift, bytes.images, by.scale);
    at::Tensor labels = out.labels;
    labels.copy_(bytes.labels);
  }

  std::unique_ptr<StepGraph> capture(const StepBody& /*body*/, bool /*with_events*/) override {
    throw std::logic_error("a CPU captures no step");
  }

  std::optional<MemoryPeaks> take_peaks() override { return std::nullopt; }
  std::int64_t driver_allocations() const override { return 0; }
  std::map<std::string, std::string> facts() const override { return {}; }
};

}  // namespace

std::unique_ptr<TrainingDevice> make_cpu_device() {
  return std::make_unique<CpuDevice>();
}

}  // namespace traceml
