#pragma once

#include <torch/torch.h>

namespace traceml {

// A classifier: images [N, 3, H, W] to logits [N, classes].
class Network : public torch::nn::Module {
 public:
  virtual at::Tensor forward(at::Tensor images) = 0;
};

}  // namespace traceml
