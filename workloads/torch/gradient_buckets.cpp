#include "workloads/torch/gradient_buckets.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace traceml {
namespace {

constexpr double kBytesPerMib = 1024.0 * 1024.0;
constexpr double kFirstBucketMib = 1.0;

struct CopyList {
  std::vector<at::Tensor> to;
  std::vector<at::Tensor> from;
};

// Runs after autograd has made the gradient: on a CPU on the training thread, on a GPU on
// autograd's thread of that device, with the training's stream as the current one.
class ReadyHook final : public torch::autograd::PostAccumulateGradHook {
 public:
  ReadyHook(GradientBuckets& buckets, std::size_t bucket) : buckets_(buckets), bucket_(bucket) {}
  void operator()(const at::Tensor& /*parameter*/) override { buckets_.gradient_ready(bucket_); }

 private:
  GradientBuckets& buckets_;
  std::size_t bucket_;
};

}  // namespace

GradientBuckets::GradientBuckets(const std::vector<at::Tensor>& parameters, const FlatSgd& flat,
                                 double bucket_mib, Collective& collective, DeviceQueue queue)
    : collective_(collective), queue_(queue) {
  const std::vector<FlatSlice>& slices = flat.slices();
  auto* gradients = flat.gradients().data_ptr<float>();
  std::int64_t begin = 0;
  Members held;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    torch::autograd::impl::set_post_acc_grad_hooks(
        parameters[i], std::make_unique<ReadyHook>(*this, views_.size()));
    held.parameters.push_back(parameters[i]);
    held.homes.push_back(flat.gradient_views()[i]);
    const bool last = i + 1 == parameters.size();
    const std::int64_t end = last ? flat.gradients().numel() : slices[i + 1].offset;
    const double cap = views_.empty() ? std::min(kFirstBucketMib, bucket_mib) : bucket_mib;
    const auto bytes = static_cast<double>(end - begin) * sizeof(float);
    if (!last && bytes < cap * kBytesPerMib) continue;
    views_.push_back({static_cast<int>(views_.size()), gradients + begin, end - begin,
                      ElementType::kFloat32, queue_});
    missing_.push_back(held.parameters.size());
    members_.push_back(std::exchange(held, {}));
    begin = end;
  }
}

void GradientBuckets::gradient_ready(std::size_t bucket) {
  --missing_[bucket];
  while (next_ < views_.size() && missing_[next_] == 0) hand_over_next();
}

// Where autograd may keep the gradient that it computed, it copies nothing; so this is the one copy
// of each gradient.
void GradientBuckets::gather(const Members& bucket) {
  const torch::NoGradGuard no_grad;
  CopyList in_float32, in_bfloat16;  // one call copies one type
  for (std::size_t i = 0; i < bucket.parameters.size(); ++i) {
    at::Tensor& gradient = bucket.parameters[i].mutable_grad();
    if (!gradient.defined()) {
      bucket.homes[i].zero_();
      continue;
    }
    CopyList& list = gradient.scalar_type() == at::kFloat ? in_float32 : in_bfloat16;
    list.to.push_back(bucket.homes[i]);
    list.from.push_back(std::move(gradient));
    gradient.reset();
  }
  for (const CopyList* list : {&in_float32, &in_bfloat16}) {
    if (!list->to.empty()) at::_foreach_copy_(list->to, list->from);
  }
}

void GradientBuckets::hand_over_next() {
  gather(members_[next_]);
  collective_.all_reduce_mean(views_[next_]);
  ++next_;
}

void GradientBuckets::finish_step() {
  while (next_ < views_.size()) hand_over_next();
  collective_.wait(queue_);
  for (std::size_t i = 0; i < missing_.size(); ++i) missing_[i] = members_[i].parameters.size();
  next_ = 0;
}

}  // namespace traceml
