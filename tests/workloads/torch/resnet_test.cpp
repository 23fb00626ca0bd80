#include "workloads/torch/resnet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "harness/core/error.h"

namespace traceml {
namespace {

std::int64_t parameter_count(const Network& network) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

TEST(ResNet, HasTheParameterCountsOfTorchvision) {
  EXPECT_EQ(parameter_count(*make_resnet("resnet18", 1000, 0)), 11'689'512);
  EXPECT_EQ(parameter_count(*make_resnet("resnet34", 1000, 0)), 21'797'672);
  EXPECT_EQ(parameter_count(*make_resnet("resnet50", 1000, 0)), 25'557'032);
  EXPECT_EQ(parameter_count(*make_resnet("resnet101", 1000, 0)), 44'549'160);
  EXPECT_EQ(parameter_count(*make_resnet("resnet152", 1000, 0)), 60'192'808);
}

TEST(ResNet, With101ClassesResNet50Has161TensorsAnd23714981Parameters) {
  const auto network = make_resnet("resnet50", 101, 0);
  EXPECT_EQ(parameter_count(*network), 23'714'981);
  EXPECT_EQ(network->parameters().size(), 161U);
}

TEST(ResNet, NamesItsStateAsTorchvisionDoes) {
  const auto network = make_resnet("resnet50", 101, 0);
  std::set<std::string> names;
  for (const auto& item : network->named_parameters()) names.insert(item.key());
  for (const auto& item : network->named_buffers()) names.insert(item.key());
  EXPECT_EQ(names.size(), 320U);  // len(torchvision.models.resnet50().state_dict())
  for (const char* name :
       {"conv1.weight", "bn1.weight", "bn1.running_mean", "bn1.num_batches_tracked",
        "layer1.0.conv1.weight", "layer1.0.bn3.bias", "layer1.0.downsample.0.weight",
        "layer1.0.downsample.1.running_var", "layer3.5.conv3.weight", "layer4.2.bn3.weight",
        "fc.weight", "fc.bias"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_FALSE(names.contains("layer1.1.downsample.0.weight"));
}

TEST(ResNet, RegistersItsParametersInTheOrderOfTorchvision) {
  const auto items = make_resnet("resnet50", 101, 0)->named_parameters();
  const std::vector<std::string> keys = items.keys();
  EXPECT_EQ(keys.front(), "conv1.weight");
  EXPECT_EQ(keys[3], "layer1.0.conv1.weight");
  EXPECT_EQ(keys[12], "layer1.0.downsample.0.weight");
  EXPECT_EQ(keys.back(), "fc.bias");
}

TEST(ResNet, StridesInTheThreeByThreeConvolutionOfABottleneck) {
  const auto network = make_resnet("resnet50", 101, 0);
  const auto modules = network->named_modules();
  const auto stride_of = [&modules](const std::string& name) {
    return modules[name]->as<torch::nn::Conv2d>()->options.stride()->at(0);
  };
  EXPECT_EQ(stride_of("layer2.0.conv1"), 1);
  EXPECT_EQ(stride_of("layer2.0.conv2"), 2);
  EXPECT_EQ(stride_of("layer2.0.downsample.0"), 2);
  EXPECT_EQ(stride_of("layer2.1.conv2"), 1);
  EXPECT_EQ(stride_of("layer1.0.conv2"), 1);
}

TEST(ResNet, BasicBlocksStrideInTheirFirstConvolution) {
  const auto network = make_resnet("resnet18", 10, 0);
  const auto modules = network->named_modules();
  EXPECT_EQ(modules["layer2.0.conv1"]->as<torch::nn::Conv2d>()->options.stride()->at(0), 2);
  EXPECT_EQ(modules["layer2.0.conv2"]->as<torch::nn::Conv2d>()->options.stride()->at(0), 1);
  EXPECT_FALSE(modules.contains("layer1.0.downsample"));
  EXPECT_EQ(network->forward(torch::zeros({2, 3, 64, 64})).sizes(), (at::IntArrayRef{2, 10}));
}

TEST(ResNet, InitialisesConvolutionsByFanOut) {
  const auto network = make_resnet("resnet50", 101, 3);
  const auto parameters = network->named_parameters();
  for (const char* name : {"conv1.weight", "layer2.0.conv2.weight", "layer4.0.conv3.weight",
                           "layer3.0.downsample.0.weight"}) {
    const at::Tensor w = parameters[name];
    const double expected = std::sqrt(2.0 / static_cast<double>(w.size(0) * w.size(2) * w.size(3)));
    EXPECT_NEAR(w.std().item<double>() / expected, 1.0, 0.03) << name;
    EXPECT_NEAR(w.mean().item<double>() / expected, 0.0, 0.03) << name;
    EXPECT_GT(w.abs().max().item<double>(), 3 * expected) << name << " is not normal";
  }
}

TEST(ResNet, InitialisesBatchNormToOneAndZeroAndTheClassifierUniformly) {
  const auto network = make_resnet("resnet18", 101, 3);
  const auto parameters = network->named_parameters();
  EXPECT_TRUE(parameters["layer3.1.bn2.weight"].eq(1).all().item<bool>());
  EXPECT_TRUE(parameters["layer3.1.bn2.bias"].eq(0).all().item<bool>());
  const double bound = 1.0 / std::sqrt(512.0);
  for (const char* name : {"fc.weight", "fc.bias"}) {
    const at::Tensor w = parameters[name];
    EXPECT_LE(w.abs().max().item<double>(), bound) << name;
    EXPECT_GT(w.abs().max().item<double>(), 0.9 * bound) << name;
  }
  EXPECT_NEAR(parameters["fc.weight"].std().item<double>(), bound / std::sqrt(3.0), 0.02 * bound);
}

TEST(ResNet, ItsWeightsDependOnTheSeedAlone) {
  torch::manual_seed(1);
  const auto first = make_resnet("resnet18", 10, 7)->parameters();
  torch::manual_seed(2);
  const auto second = make_resnet("resnet18", 10, 7)->parameters();
  const auto other = make_resnet("resnet18", 10, 8)->parameters();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first[i].equal(second[i])) << i;
  EXPECT_FALSE(first[0].equal(other[0]));
}

TEST(ResNet, RefusesAModelThatItDoesNotKnow) {
  EXPECT_THROW(make_resnet("resnet19", 10, 0), UsageError);
}

}  // namespace
}  // namespace traceml
