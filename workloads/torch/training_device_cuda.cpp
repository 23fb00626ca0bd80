#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <string>

#include "harness/core/error.h"
#include "workloads/torch/device_feed_cuda.h"
#include "workloads/torch/gpu_feed_cuda.h"
#include "workloads/torch/normalise_kernel_cuda.h"
#include "workloads/torch/step_graph_cuda.h"
#include "workloads/torch/training_device.h"

namespace traceml {
namespace {

constexpr auto kAggregate = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

// "9.10.2" of 91002.
std::string cudnn_version() {
  const long version = at::globalContext().versionCuDNN();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

// This thread's device and stream, before anything is made on them.
c10::cuda::CUDAStream enter(int index) {
  const auto device = static_cast<c10::DeviceIndex>(index);
  c10::cuda::set_device(device);
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(false, device);
  c10::cuda::setCurrentCUDAStream(stream);
  return stream;
}

class CudaDevice final : public TrainingDevice {
 public:
  CudaDevice(int index, bool cudnn_benchmark)
      : stream_(enter(index)), cudnn_benchmark_(cudnn_benchmark) {
    at::globalContext().setBenchmarkCuDNN(cudnn_benchmark);
  }

  at::Device device() const override { return stream_.device(); }

  DeviceQueue queue() const override {
    return {reinterpret_cast<std::uintptr_t>(stream_.stream())};
  }

  void require_fit(const WorkloadConfig& /*config*/) const override {}

  void use_precision(Precision precision) override {
    const bool tf32 = precision == Precision::kTf32;
    at::globalContext().setAllowTF32CuDNN(tf32);
    at::globalContext().setAllowTF32CuBLAS(tf32);
  }

  void finish() override { stream_.synchronize(); }

  std::unique_ptr<BatchFeed> feed_of(std::unique_ptr<BatchSource> source,
                                     const ArmConfig& arm) override {
    return make_device_feed(std::move(source), arm, stream_);
  }

  std::unique_ptr<BatchFeed> decoding_feed_of(InputProvider& inputs,
                                              const ArmConfig& arm) override {
    return make_gpu_feed(inputs.open_on_gpu(arm, {stream_.device_index(), queue()}), arm, device());
  }

  void normalize(const ArrivedBatch& bytes, const Normalisation& by,
                 const ArrivedBatch& out) override {
    const at::Tensor& values = out.images;
    const char* error =
        queue_normalise({.bytes = bytes.images.const_data_ptr<std::uint8_t>(),
                         .values = values.mutable_data_ptr(),
                         .type = values.scalar_type() == at::kFloat ? NormalisedType::kFloat32
                                                                    : NormalisedType::kBfloat16,
                         .planar = !values.is_contiguous(at::MemoryFormat::ChannelsLast),
                         .images = values.size(0),
                         .pixels = values.size(2) * values.size(3),
                         .scale = by.scale.const_data_ptr<float>(),
                         .shift = by.shift.const_data_ptr<float>(),
                         .labels_in = bytes.labels.const_data_ptr<std::int64_t>(),
                         .labels_out = out.labels.mutable_data_ptr<std::int64_t>()},
                        queue());
    if (error != nullptr) throw RunError(std::string("the normalise kernel: ") + error);
  }

  std::unique_ptr<StepGraph> capture(const StepBody& body, bool with_events) override {
    return capture_step(body, with_events);
  }

  std::optional<MemoryPeaks> take_peaks() override {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(stream_.device_index());
    c10::cuda::CUDACachingAllocator::resetPeakStats(stream_.device_index());
    return MemoryPeaks{stats.allocated_bytes[kAggregate].peak,
                       stats.reserved_bytes[kAggregate].peak};
  }

  std::int64_t driver_allocations() const override {
    return c10::cuda::CUDACachingAllocator::getDeviceStats(stream_.device_index()).num_device_alloc;
  }

  std::map<std::string, std::string> facts() const override {
    return {{"cudnn", cudnn_version()}, {"cudnn_benchmark", cudnn_benchmark_ ? "true" : "false"}};
  }

 private:
  c10::cuda::CUDAStream stream_;
  bool cudnn_benchmark_;
};

}  // namespace

std::unique_ptr<TrainingDevice> make_cuda_device(int index, bool cudnn_benchmark) {
  return std::make_unique<CudaDevice>(index, cudnn_benchmark);
}

}  // namespace traceml
