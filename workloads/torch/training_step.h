#pragma once

#include <torch/torch.h>

#include "harness/plan/config.h"
#include "harness/ports/phase_marks.h"
#include "workloads/torch/batch_feed.h"
#include "workloads/torch/batch_transform.h"
#include "workloads/torch/flat_sgd.h"
#include "workloads/torch/gradient_buckets.h"
#include "workloads/torch/network.h"

namespace traceml {

// What one step trains. The parts outlive the call.
struct Trained {
  Network& network;
  FlatSgd& sgd;
  GradientBuckets& buckets;
  Precision precision = Precision::kFp32;
};

// One step: input_wait, normalize (where the batch needs it), forward, loss, backward, optimizer.
// backward ends when all gradients hold the mean over ranks; optimizer includes zeroing them. The
// batch is released as soon as its bytes are consumed. Returns the loss without its graph; nothing
// reads it here. marks == nullptr: no hook of any kind.
at::Tensor training_step(const Trained& trained, BatchFeed& feed, BatchTransform& transform,
                         PhaseMarks* marks);

}  // namespace traceml
