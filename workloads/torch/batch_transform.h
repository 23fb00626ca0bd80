#pragma once

#include <torch/torch.h>

#include <string>

#include "harness/plan/config.h"
#include "harness/ports/workload.h"
#include "workloads/torch/batch_feed.h"

namespace traceml {

// The device work between a batch's arrival and forward: uint8 to normalised float32, and the
// memory format of the model. A float32 channels_last batch needs none and is read in place.
class BatchTransform {
 public:
  BatchTransform(const ArmConfig& arm, at::Device device);

  // Whether apply() has anything to do.
  bool copies() const { return copies_; }

  // The batch in memory of this object, valid until the next call; the original is consumed.
  ArrivedBatch apply(const ArrivedBatch& arrived);

  // "normalize to float32 channels_last", ...: part of the batch contract.
  const std::string& name() const { return name_; }

 private:
  bool normalizes_;
  bool copies_;
  std::string name_;
  ArrivedBatch out_;
  at::Tensor scale_;  // x * scale + shift = (x / 255 - mean) / std, for each channel
  at::Tensor shift_;
};

// What the batch is, read from the batch itself.
BatchContract contract_of(const ArrivedBatch& batch, const BatchTransform& transform);

}  // namespace traceml
