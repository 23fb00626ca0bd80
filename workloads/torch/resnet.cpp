#include "workloads/torch/resnet.h"

#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "workloads/torch/add_relu.h"

namespace traceml {
namespace {

namespace nn = torch::nn;

struct Architecture {
  std::string name;
  bool bottleneck = false;
  std::array<int, 4> blocks{};
};

const Architecture& architecture_named(const std::string& model) {
  static const std::vector<Architecture> known = {{"resnet18", false, {2, 2, 2, 2}},
                                                  {"resnet34", false, {3, 4, 6, 3}},
                                                  {"resnet50", true, {3, 4, 6, 3}},
                                                  {"resnet101", true, {3, 4, 23, 3}},
                                                  {"resnet152", true, {3, 8, 36, 3}}};
  for (const Architecture& each : known) {
    if (each.name == model) return each;
  }
  throw UsageError("workload.model: \"" + model +
                   "\" is unknown; use resnet18, resnet34, resnet50, resnet101 or resnet152");
}

nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return nn::Conv2d(
      nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// Batch norm that leaves num_batches_tracked alone: with a fixed momentum nothing reads it, and it
// would cost a kernel a layer and step.
class BatchNorm final : public nn::BatchNorm2dImpl {
 public:
  using nn::BatchNorm2dImpl::BatchNorm2dImpl;

  at::Tensor forward(const at::Tensor& x) {
    const bool use_batch = is_training();
    return torch::batch_norm(x, weight, bias, running_mean, running_var, use_batch,
                             options.momentum().value(), options.eps(),
                             at::globalContext().userEnabledCuDNN());
  }
};

// 1x1 convolution and batch norm on the identity path, as "0" and "1".
class Downsample : public nn::Module {
 public:
  Downsample(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv_(register_module("0", convolution(in, out, 1, stride))),
        norm_(register_module("1", std::make_shared<BatchNorm>(out))) {}

  at::Tensor forward(const at::Tensor& x) { return norm_->forward(conv_->forward(x)); }

 private:
  nn::Conv2d conv_;
  std::shared_ptr<BatchNorm> norm_;
};

// Two 3x3 convolutions, or 1x1, 3x3 (strided), 1x1 with four times the width.
class Block : public nn::Module {
 public:
  Block(std::int64_t in, std::int64_t width, std::int64_t stride, bool bottleneck) {
    const std::int64_t out = bottleneck ? 4 * width : width;
    if (bottleneck) {
      add(in, width, 1, 1);
      add(width, width, 3, stride);
      add(width, out, 1, 1);
    } else {
      add(in, width, 3, stride);
      add(width, out, 3, 1);
    }
    if (stride != 1 || in != out) {
      downsample_ = register_module("downsample", std::make_shared<Downsample>(in, out, stride));
    }
  }

  at::Tensor forward(const at::Tensor& x) {
    at::Tensor y = x;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      if (i > 0) y = y.relu_();
      y = norms_[i]->forward(convolutions_[i]->forward(y));
    }
    return add_relu(y, downsample_ ? downsample_->forward(x) : x);
  }

 private:
  void add(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
    const std::string number = std::to_string(convolutions_.size() + 1);
    convolutions_.push_back(register_module("conv" + number, convolution(in, out, kernel, stride)));
    norms_.push_back(register_module("bn" + number, std::make_shared<BatchNorm>(out)));
  }

  std::vector<nn::Conv2d> convolutions_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;
  std::shared_ptr<Downsample> downsample_;
};

// Blocks "0", "1", ... of one resolution.
class Stage : public nn::Module {
 public:
  void append(std::shared_ptr<Block> block) {
    blocks_.push_back(register_module(std::to_string(blocks_.size()), std::move(block)));
  }

  at::Tensor forward(at::Tensor x) {
    for (const auto& block : blocks_) x = block->forward(x);
    return x;
  }

 private:
  std::vector<std::shared_ptr<Block>> blocks_;
};

class ResNet final : public Network {
 public:
  ResNet(const Architecture& architecture, int classes)
      : conv1_(register_module(
            "conv1", nn::Conv2d(nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)))),
        bn1_(register_module("bn1", std::make_shared<BatchNorm>(64))) {
    std::int64_t in = 64;
    for (std::size_t s = 0; s < architecture.blocks.size(); ++s) {
      const std::int64_t width = std::int64_t{64} << s;
      auto stage = register_module("layer" + std::to_string(s + 1), std::make_shared<Stage>());
      for (int b = 0; b < architecture.blocks[s]; ++b) {
        const std::int64_t stride = (b == 0 && s > 0) ? 2 : 1;
        stage->append(std::make_shared<Block>(in, width, stride, architecture.bottleneck));
        in = architecture.bottleneck ? 4 * width : width;
      }
      stages_.push_back(std::move(stage));
    }
    fc_ = register_module("fc", nn::Linear(in, classes));
  }

  at::Tensor forward(at::Tensor x) override {
    x = bn1_->forward(conv1_->forward(x)).relu_();
    x = torch::max_pool2d(x, 3, 2, 1);
    for (const auto& stage : stages_) x = stage->forward(x);
    return fc_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  nn::Conv2d conv1_;
  std::shared_ptr<BatchNorm> bn1_;
  std::vector<std::shared_ptr<Stage>> stages_;
  nn::Linear fc_{nullptr};
};

void initialise(Network& network, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  // Its own generator: the libtorch-wide one is shared by all threads of the process.
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  for (const auto& module : network.modules()) {
    if (auto* conv = module->as<nn::Conv2d>()) {
      const at::Tensor& w = conv->weight;
      const auto fan_out = static_cast<double>(w.size(0) * w.size(2) * w.size(3));
      w.normal_(0.0, std::sqrt(2.0 / fan_out), generator);
    } else if (auto* linear = module->as<nn::Linear>()) {
      const double bound = 1.0 / std::sqrt(static_cast<double>(linear->weight.size(1)));
      linear->weight.uniform_(-bound, bound, generator);
      linear->bias.uniform_(-bound, bound, generator);
    }
  }
}

}  // namespace

std::shared_ptr<Network> make_resnet(const std::string& model, int classes, std::uint64_t seed) {
  auto network = std::make_shared<ResNet>(architecture_named(model), classes);
  initialise(*network, seed);
  return network;
}

}  // namespace traceml
