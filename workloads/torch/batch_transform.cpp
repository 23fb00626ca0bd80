#include "workloads/torch/batch_transform.h"

#include <array>
#include <cstdint>

#include "workloads/input/normalise.h"

namespace traceml {
namespace {

using PerChannel = std::array<float, 3>;

// What the loader's float32 batches hold for a grey pixel of this value.
PerChannel normalised(std::uint8_t value) {
  const std::array<std::uint8_t, 3> pixel = {value, value, value};
  PerChannel result{};
  normalise(pixel, result.data());
  return result;
}

at::Tensor per_channel(const PerChannel& values, at::Device device) {
  return at::tensor(at::ArrayRef<float>(values)).reshape({1, 3, 1, 1}).to(device);
}

std::string dtype_name(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kByte:
      return "uint8";
    case at::kFloat:
      return "float32";
    case at::kLong:
      return "int64";
    default:
      return at::toString(tensor.scalar_type());
  }
}

}  // namespace

BatchTransform::BatchTransform(const ArmConfig& arm, TrainingDevice& training_device,
                               bool one_place)
    : device_(training_device) {
  const at::Device device = training_device.device();
  const bool channels_last = arm.workload.memory_format == MemoryFormat::kChannelsLast;
  normalizes_ = arm.input.dtype == SampleType::kUint8;
  const bool captured = arm.workload.execution == Execution::kGraph;
  copies_ = normalizes_ || !channels_last || (captured && !one_place);
  const std::string format = channels_last ? "channels_last" : "contiguous";
  const bool to_bf16 =
      normalizes_ && device.is_cuda() && arm.workload.precision == Precision::kBf16;
  const std::string type = to_bf16 ? "bfloat16 " : "float32 ";
  name_ = normalizes_ ? "normalize to " + type + format : (copies_ ? "copy to " + format : "none");
  if (!copies_) return;
  const std::int64_t size = arm.workload.image_size;
  out_.images =
      at::empty({arm.workload.batch_size, 3, size, size},
                at::TensorOptions().dtype(to_bf16 ? at::kBFloat16 : at::kFloat).device(device),
                channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
  out_.labels =
      at::empty({arm.workload.batch_size}, at::TensorOptions().dtype(at::kLong).device(device));
  const PerChannel shift = normalised(0);
  PerChannel scale = normalised(255);
  for (std::size_t c = 0; c < scale.size(); ++c) scale[c] = (scale[c] - shift[c]) / 255.0F;
  by_ = {per_channel(scale, device), per_channel(shift, device)};
}

ArrivedBatch BatchTransform::apply(const ArrivedBatch& arrived) {
  const torch::NoGradGuard no_grad;
  if (normalizes_) {
    device_.normalize(arrived, by_, out_);
  } else {
    out_.images.copy_(arrived.images);
    out_.labels.copy_(arrived.labels);
  }
  return out_;
}

BatchContract contract_of(const ArrivedBatch& batch, const BatchTransform& transform) {
  return {dtype_name(batch.images), batch.images.sizes().vec(), batch.images.strides().vec(),
          dtype_name(batch.labels), transform.name()};
}

}  // namespace traceml
