#include "workloads/torch/training_step.h"

namespace traceml {
namespace {

at::Tensor forward(const Trained& trained, const at::Tensor& images) {
  if (trained.bf16 == nullptr) return trained.network.forward(images);
  trained.bf16->cast();
  return trained.network.forward(images.to(at::kBFloat16));
}

// input_wait, decode, h2d, normalize. Returns the batch that the network reads; released already
// where it was copied.
ArrivedBatch receive(BatchFeed& feed, BatchTransform& transform, PhaseMarks* marks) {
  enter(marks, Phase::kInputWait);
  ArrivedBatch batch = feed.next();
  if (feed.decodes()) {
    enter(marks, Phase::kDecode);
    feed.decode();
  }
  if (feed.transfers()) {
    enter(marks, Phase::kH2d);
    feed.transfer();
  }
  if (transform.copies()) {
    enter(marks, Phase::kNormalize);
    batch = transform.apply(batch);
    feed.release();
  }
  return batch;
}

}  // namespace

at::Tensor train_on(const Trained& trained, const ArrivedBatch& batch, PhaseMarks* marks,
                    BatchFeed* holder) {
  enter(marks, Phase::kForward);
  at::Tensor logits = forward(trained, batch.images);

  enter(marks, Phase::kLoss);
  at::Tensor loss = at::cross_entropy_loss(logits.to(at::kFloat), batch.labels);
  logits.reset();

  enter(marks, Phase::kBackward);
  loss.backward();
  loss = loss.detach();  // frees the graph here, not outside the phases
  if (holder != nullptr) holder->release();
  trained.buckets.finish_step();

  enter(marks, Phase::kOptimizer);
  trained.sgd.step();
  leave(marks);
  return loss;
}

at::Tensor training_step(const Trained& trained, BatchFeed& feed, BatchTransform& transform,
                         PhaseMarks* marks) {
  const ArrivedBatch batch = receive(feed, transform, marks);
  return train_on(trained, batch, marks, transform.copies() ? nullptr : &feed);
}

void training_step(StepGraph& graph, BatchFeed& feed, BatchTransform& transform,
                   PhaseMarks* marks) {
  receive(feed, transform, marks);
  graph.launch(marks);
  leave(marks);
}

}  // namespace traceml
