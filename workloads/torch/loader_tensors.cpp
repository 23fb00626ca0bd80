#include "workloads/torch/loader_tensors.h"

#include <string>

#include "harness/core/error.h"

namespace traceml {

LoaderTensors::LoaderTensors(const ArmConfig& arm)
    : shape_{arm.workload.batch_size, 3, arm.workload.image_size, arm.workload.image_size},
      strides_{3 * shape_[2] * shape_[3], 1, 3 * shape_[3], 3},
      type_(arm.input.dtype == SampleType::kUint8 ? at::kByte : at::kFloat) {}

void LoaderTensors::require_full(const HostBatch& batch) const {
  if (batch.count == shape_[0]) return;
  throw RunError("the loader delivered a batch of " + std::to_string(batch.count) +
                 " images where workload.batch_size is " + std::to_string(shape_[0]));
}

ArrivedBatch LoaderTensors::in_place(const HostBatch& batch) const {
  // libtorch has no tensors of const memory; nothing writes into these.
  auto* images = const_cast<void*>(batch.images);
  auto* labels = const_cast<std::int64_t*>(batch.labels);
  return {at::from_blob(images, shape_, strides_, at::TensorOptions().dtype(type_)),
          at::from_blob(labels, {batch.count}, at::TensorOptions().dtype(at::kLong))};
}

ArrivedBatch LoaderTensors::on_device(void* images, std::int64_t* labels, at::Device device) const {
  return {at::from_blob(images, shape_, strides_, at::TensorOptions().dtype(type_).device(device)),
          at::from_blob(labels, {shape_[0]}, at::TensorOptions().dtype(at::kLong).device(device))};
}

ArrivedBatch LoaderTensors::empty_on(at::Device device) const {
  return {at::empty_strided(shape_, strides_, at::TensorOptions().dtype(type_).device(device)),
          at::empty({shape_[0]}, at::TensorOptions().dtype(at::kLong).device(device))};
}

std::int64_t LoaderTensors::bytes() const {
  const std::int64_t element = type_ == at::kByte ? 1 : sizeof(float);
  return shape_[0] * (shape_[1] * shape_[2] * shape_[3] * element +
                      static_cast<std::int64_t>(sizeof(std::int64_t)));
}

}  // namespace traceml
