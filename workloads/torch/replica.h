#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/plan/config.h"
#include "harness/ports/collective.h"
#include "harness/ports/transport.h"
#include "workloads/torch/bf16_weights.h"
#include "workloads/torch/flat_sgd.h"
#include "workloads/torch/gradient_buckets.h"
#include "workloads/torch/network.h"
#include "workloads/torch/snapshot.h"
#include "workloads/torch/training_step.h"

namespace traceml {

// This rank's copy of a model with all that trains it, and the snapshot that every window starts
// from.
class Replica {
 public:
  // Takes rank 0's weights. Collective over ranks. `queue`: the device's, {} on a CPU.
  Replica(std::shared_ptr<Network> network, const WorkloadConfig& config, at::Device device,
          Transport& transport, Collective& collective, DeviceQueue queue = {});
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  // What training_step needs; valid as long as this object.
  Trained trained() { return {*network_, *sgd_, *buckets_, bf16_.get()}; }

  // Back to the initial state, bit for bit.
  void restore() { snapshot_->restore(); }

  // Whether an arm with this config can share the replica: only batch and image size may differ.
  bool serves(const WorkloadConfig& config) const;

  const WorkloadConfig& config() const { return config_; }
  std::int64_t parameter_count() const { return parameter_count_; }
  std::size_t bucket_count() const { return buckets_->views().size(); }

  // 64-bit digest of the bytes of all parameters.
  std::uint64_t digest() const;

 private:
  WorkloadConfig config_;
  std::shared_ptr<Network> network_;
  std::int64_t parameter_count_ = 0;
  std::unique_ptr<FlatSgd> sgd_;
  std::unique_ptr<Bf16Weights> bf16_;  // null: float32 weights
  std::unique_ptr<GradientBuckets> buckets_;
  std::unique_ptr<Snapshot> snapshot_;
};

}  // namespace traceml
