#pragma once

#include <torch/torch.h>

#include "harness/plan/config.h"
#include "harness/ports/phase_marks.h"
#include "workloads/torch/batch_feed.h"
#include "workloads/torch/batch_transform.h"
#include "workloads/torch/bf16_weights.h"
#include "workloads/torch/flat_sgd.h"
#include "workloads/torch/gradient_buckets.h"
#include "workloads/torch/network.h"
#include "workloads/torch/training_device.h"

namespace traceml {

// What one step trains. The parts outlive the call.
struct Trained {
  Network& network;
  FlatSgd& sgd;
  GradientBuckets& buckets;
  Bf16Weights* bf16 = nullptr;  // null: the network computes in float32
};

// forward, loss, backward, optimizer. backward ends when all gradients hold the mean over ranks; it
// gives their memory up, so that the optimizer has none to zero. Returns the loss without its
// graph; nothing reads it here. marks == nullptr: no hook of any kind. `holder`, if any, has the
// batch back as soon as backward has consumed it.
at::Tensor train_on(const Trained& trained, const ArrivedBatch& batch, PhaseMarks* marks,
                    BatchFeed* holder = nullptr);

// One step: input_wait, decode, h2d and normalize (where the batch needs them), train_on(). The
// batch is released as soon as its bytes are consumed.
at::Tensor training_step(const Trained& trained, BatchFeed& feed, BatchTransform& transform,
                         PhaseMarks* marks);

// The same with a captured train_on() on transform.place(). The loss lies in graph.loss().
void training_step(StepGraph& graph, BatchFeed& feed, BatchTransform& transform, PhaseMarks* marks);

}  // namespace traceml
