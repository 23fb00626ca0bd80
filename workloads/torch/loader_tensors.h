#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "harness/plan/config.h"
#include "workloads/input/batch_source.h"
#include "workloads/torch/batch_feed.h"

namespace traceml {

// The batches of a loader as tensors: images [N, 3, H, W] in NHWC memory, labels [N].
class LoaderTensors {
 public:
  explicit LoaderTensors(const ArmConfig& arm);

  // Throws RunError for a batch that is not full.
  void require_full(const HostBatch& batch) const;

  // Views of the loader's own memory; require_full() holds.
  ArrivedBatch in_place(const HostBatch& batch) const;

  // Views of device memory, laid out as a loader's batch.
  ArrivedBatch on_device(void* images, std::int64_t* labels, at::Device device) const;

  ArrivedBatch empty_on(at::Device device) const;
  std::int64_t bytes() const;  // of images and labels

  const std::vector<std::int64_t>& shape() const { return shape_; }
  at::ScalarType type() const { return type_; }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  at::ScalarType type_;
};

}  // namespace traceml
