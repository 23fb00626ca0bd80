#include "workloads/torch/training_step.h"

#include <ATen/autocast_mode.h>

namespace traceml {
namespace {

// bf16 autocast on this thread while it lives.
class Bf16Autocast {
 public:
  explicit Bf16Autocast(at::DeviceType device)
      : device_(device),
        was_enabled_(at::autocast::is_autocast_enabled(device)),
        had_cache_(at::autocast::is_autocast_cache_enabled()),
        was_dtype_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_cache_enabled(false);  // a step uses each weight once
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~Bf16Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_cache_enabled(had_cache_);
    at::autocast::set_autocast_enabled(device_, was_enabled_);
    at::autocast::set_autocast_dtype(device_, was_dtype_);
  }
  Bf16Autocast(const Bf16Autocast&) = delete;
  Bf16Autocast& operator=(const Bf16Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool was_enabled_;
  bool had_cache_;
  at::ScalarType was_dtype_;
};

at::Tensor forward(const Trained& trained, const at::Tensor& images) {
  if (trained.precision != Precision::kBf16) return trained.network.forward(images);
  const Bf16Autocast autocast(images.device().type());
  return trained.network.forward(images);
}

// input_wait, h2d, normalize. Returns the batch that the network reads; released already where it
// was copied.
ArrivedBatch receive(BatchFeed& feed, BatchTransform& transform, PhaseMarks* marks) {
  enter(marks, Phase::kInputWait);
  ArrivedBatch batch = feed.next();
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
