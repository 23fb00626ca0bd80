#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/torch/network.h"

namespace traceml::testing {

// Four convolutions without batch norm, then the mean of the last one's channels as logits.
class SmallNetwork final : public Network {
 public:
  explicit SmallNetwork(int classes, std::int64_t width = 8) {
    const std::vector<std::int64_t> channels = {3, width, width, width, classes};
    for (std::size_t i = 0; i + 1 < channels.size(); ++i) {
      layers_.push_back(register_module(
          "conv" + std::to_string(i),
          torch::nn::Conv2d(torch::nn::Conv2dOptions(channels[i], channels[i + 1], 3).padding(1))));
    }
  }

  at::Tensor forward(at::Tensor x) override {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (i > 0) x = x.relu();
      x = layers_[i]->forward(x);
    }
    return x.mean({2, 3});
  }

 private:
  std::vector<torch::nn::Conv2d> layers_;
};

}  // namespace traceml::testing
