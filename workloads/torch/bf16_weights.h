#pragma once

#include <torch/torch.h>

#include <vector>

#include "workloads/torch/flat_sgd.h"
#include "workloads/torch/network.h"

namespace traceml {

// What bf16 autocast does to the weights, for all of them in one call: convolutions and linear
// layers compute with weights in bfloat16 that a step casts from float32, and get their gradients
// in bfloat16; batch norm keeps float32, and so does the optimizer.
class Bf16Weights {
 public:
  // `parameters` as given to `flat`. Those of every layer but batch norm become bfloat16 leaves.
  Bf16Weights(const Network& network, const std::vector<at::Tensor>& parameters,
              const FlatSgd& flat);

  // From the float32 values of now. A step does it once, at the begin of forward.
  void cast();

 private:
  at::Tensor source_;
  at::Tensor values_;  // of the layout of the flat buffer
};

}  // namespace traceml
