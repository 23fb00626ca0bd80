#include "workloads/torch/flat_sgd.h"

#include <gtest/gtest.h>

#include <vector>

#include "workloads/torch/resnet.h"
#include "workloads/torch/snapshot.h"

namespace traceml {
namespace {

constexpr OptimizerConfig kOptimizer{0.1, 0.9, 0.01};

// One tensor of each kind: channels_last weight, plain matrix, bias of an odd length.
std::vector<at::Tensor> some_parameters() {
  torch::manual_seed(5);
  std::vector<at::Tensor> parameters = {
      torch::randn({5, 4, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast), torch::randn({7, 3}),
      torch::randn({11})};
  for (at::Tensor& parameter : parameters) parameter.requires_grad_(true);
  return parameters;
}

TEST(FlatSgd, KeepsValuesAndStridesOfEveryParameter) {
  std::vector<at::Tensor> parameters = some_parameters();
  std::vector<at::Tensor> before;
  for (const at::Tensor& parameter : parameters) before.push_back(parameter.detach().clone());
  const FlatSgd sgd(parameters, kOptimizer);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_TRUE(parameters[i].equal(before[i])) << i;
    EXPECT_EQ(parameters[i].strides(), before[i].strides()) << i;
    EXPECT_EQ(sgd.gradient_views()[i].strides(), before[i].strides()) << i;
    EXPECT_EQ(sgd.gradient_views()[i].data_ptr<float>(),
              sgd.gradients().data_ptr<float>() + sgd.slices()[i].offset);
    EXPECT_FALSE(parameters[i].grad().defined()) << "autograd need not add to it";
    EXPECT_EQ(parameters[i].data_ptr<float>(),
              sgd.parameters().data_ptr<float>() + sgd.slices()[i].offset);
    EXPECT_EQ(sgd.slices()[i].count, before[i].numel());
  }
  EXPECT_TRUE(parameters[0].is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(FlatSgd, EqualsTheTextbookUpdateWithMomentumAndWeightDecay) {
  const torch::NoGradGuard no_grad;
  std::vector<at::Tensor> parameters = some_parameters();
  std::vector<at::Tensor> expected;
  std::vector<at::Tensor> momenta;
  for (const at::Tensor& parameter : parameters) {
    expected.push_back(parameter.detach().to(at::kDouble));
    momenta.push_back(torch::zeros_like(expected.back()));
  }
  FlatSgd sgd(parameters, kOptimizer);
  for (int step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor gradient = torch::randn(parameters[i].sizes());
      sgd.gradient_views()[i].copy_(gradient);
      momenta[i] = kOptimizer.momentum * momenta[i] + gradient.to(at::kDouble) +
                   kOptimizer.weight_decay * expected[i];
      expected[i] = expected[i] - kOptimizer.lr * momenta[i];
    }
    sgd.step();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_LT((parameters[i] - expected[i]).abs().max().item<double>(), 2e-6)
          << "parameter " << i << " after step " << step;
    }
  }
}

TEST(FlatSgd, LeavesThePaddingBetweenParametersAtZero) {
  std::vector<at::Tensor> parameters = some_parameters();
  FlatSgd sgd(parameters, kOptimizer);
  for (const at::Tensor& gradient : sgd.gradient_views()) gradient.fill_(1);
  sgd.step();
  std::int64_t held = 0;
  for (const FlatSlice& slice : sgd.slices()) held += slice.count;
  ASSERT_GT(sgd.parameters().numel(), held);
  EXPECT_EQ(sgd.parameters().count_nonzero().item<std::int64_t>(), held);
  EXPECT_EQ(sgd.momenta().count_nonzero().item<std::int64_t>(), held);
}

TEST(Snapshot, RestoresParametersMomentaAndBuffersExactlyAfterEverythingBecameNan) {
  const auto network = make_resnet("resnet18", 10, 1);
  FlatSgd sgd(network->parameters(), kOptimizer);
  sgd.momenta().normal_();
  const at::Tensor parameters = sgd.parameters().clone();
  const at::Tensor momenta = sgd.momenta().clone();
  std::vector<at::Tensor> buffers;
  for (const at::Tensor& buffer : network->buffers()) buffers.push_back(buffer.clone());
  const Snapshot snapshot(*network, sgd);

  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const at::Tensor& flat : {sgd.parameters(), sgd.gradients(), sgd.momenta()}) flat.fill_(nan);
  for (const at::Tensor& buffer : network->buffers()) {
    buffer.fill_(buffer.is_floating_point() ? at::Scalar(nan) : at::Scalar(99));
  }
  snapshot.restore();

  EXPECT_TRUE(sgd.parameters().equal(parameters));
  EXPECT_TRUE(sgd.momenta().equal(momenta));
  EXPECT_TRUE(sgd.gradients().eq(0).all().item<bool>());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_TRUE(network->buffers()[i].equal(buffers[i])) << i;
  }
  EXPECT_TRUE(network->parameters()[0].isfinite().all().item<bool>());
}

}  // namespace
}  // namespace traceml
