#pragma once

#include <torch/torch.h>

#include <string>

#include "harness/plan/config.h"
#include "harness/ports/workload.h"
#include "workloads/torch/batch_feed.h"
#include "workloads/torch/training_device.h"

namespace traceml {

// The device work between a batch's arrival and forward: uint8 to normalised values (on a GPU those
// that the network computes with), and the memory format of the model. A float32 channels_last
// batch needs none and is read in place, but not by a captured step, which reads one place for
// ever.
class BatchTransform {
 public:
  // `device` outlives it. `one_place`: every batch lies where the first one lay.
  BatchTransform(const ArmConfig& arm, TrainingDevice& device, bool one_place = false);

  // Whether apply() has anything to do.
  bool copies() const { return copies_; }

  // The batch in memory of this object, valid until the next call; the original is consumed.
  ArrivedBatch apply(const ArrivedBatch& arrived);

  // Where apply() puts it; nowhere, where it does nothing.
  const ArrivedBatch& place() const { return out_; }

  // "normalize to float32 channels_last", ...: part of the batch contract.
  const std::string& name() const { return name_; }

 private:
  TrainingDevice& device_;
  bool normalizes_;
  bool copies_;
  std::string name_;
  ArrivedBatch out_;
  Normalisation by_;  // (x / 255 - mean) / std
};

// What the batch is, read from the batch itself.
BatchContract contract_of(const ArrivedBatch& batch, const BatchTransform& transform);

}  // namespace traceml
