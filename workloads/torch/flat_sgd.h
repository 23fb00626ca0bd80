#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "harness/plan/config.h"

namespace traceml {

// Where a parameter lies in the flat buffers, in elements.
struct FlatSlice {
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

// SGD with momentum and weight decay as torch.optim.SGD defines it (dampening 0, no Nesterov):
//   g += weight_decay * p;  m = momentum * m + g;  p -= lr * m
// in one fused call over all parameters. Parameters become views into a flat buffer, in the order
// given, each with the strides that it had; gradients and momenta have buffers of the same layout.
// What pads them stays zero.
class FlatSgd {
 public:
  // Dense float32 leaves on one device. They are moved into the flat buffer. Their gradients stay
  // undefined: autograd makes them anew in each step, and whoever calls step() has put them into
  // gradient_views() before (GradientBuckets).
  FlatSgd(const std::vector<at::Tensor>& parameters, const OptimizerConfig& optimizer);

  // Updates all parameters by gradients().
  void step();

  const std::vector<FlatSlice>& slices() const { return slices_; }

  // The place of each parameter's gradient in gradients(), with the parameter's sizes and strides.
  const std::vector<at::Tensor>& gradient_views() const { return gradient_views_; }

  // The flat buffers themselves: 1-D, contiguous, without autograd.
  const at::Tensor& parameters() const { return parameters_; }
  const at::Tensor& gradients() const { return gradients_; }
  const at::Tensor& momenta() const { return momenta_; }

 private:
  OptimizerConfig optimizer_;
  std::vector<FlatSlice> slices_;
  std::vector<at::Tensor> gradient_views_;
  at::Tensor parameters_;
  at::Tensor gradients_;
  at::Tensor momenta_;
};

}  // namespace traceml
