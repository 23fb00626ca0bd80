#include "workloads/torch/gradient_buckets.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <memory>

namespace traceml {
namespace {

constexpr double kBytesPerMib = 1024.0 * 1024.0;
constexpr double kFirstBucketMib = 1.0;

// Runs after autograd has accumulated the gradient; on a CPU on the training thread.
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
                                 double bucket_mib, Collective& collective)
    : collective_(collective) {
  const std::vector<FlatSlice>& slices = flat.slices();
  auto* gradients = flat.gradients().data_ptr<float>();
  std::int64_t begin = 0;
  int held = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    torch::autograd::impl::set_post_acc_grad_hooks(
        parameters[i], std::make_unique<ReadyHook>(*this, views_.size()));
    ++held;
    const bool last = i + 1 == parameters.size();
    const std::int64_t end = last ? flat.gradients().numel() : slices[i + 1].offset;
    const double cap = views_.empty() ? std::min(kFirstBucketMib, bucket_mib) : bucket_mib;
    const auto bytes = static_cast<double>(end - begin) * sizeof(float);
    if (!last && bytes < cap * kBytesPerMib) continue;
    views_.push_back({static_cast<int>(views_.size()), gradients + begin, end - begin,
                      ElementType::kFloat32, DeviceQueue{}});
    sizes_.push_back(held);
    begin = end;
    held = 0;
  }
  missing_ = sizes_;
}

void GradientBuckets::gradient_ready(std::size_t bucket) {
  --missing_[bucket];
  while (next_ < views_.size() && missing_[next_] == 0) hand_over_next();
}

void GradientBuckets::hand_over_next() {
  collective_.all_reduce_mean(views_[next_]);
  ++next_;
}

void GradientBuckets::finish_step() {
  while (next_ < views_.size()) hand_over_next();
  collective_.wait(DeviceQueue{});
  missing_ = sizes_;
  next_ = 0;
}

}  // namespace traceml
