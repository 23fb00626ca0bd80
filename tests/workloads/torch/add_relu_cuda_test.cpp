#include <gtest/gtest.h>

#include <limits>

#include "tests/gpu_test.h"
#include "workloads/torch/add_relu.h"
#include "workloads/torch/training_device.h"

namespace traceml {
namespace {

class AddReluOnGpu : public testing::GpuTest {
 protected:
  AddReluOnGpu() {
    if (has_gpu()) device_ = make_cuda_device(0, true);
  }

  // Values and gradients of one call, against those of libtorch's two operations.
  void expect_as_libtorch(at::ScalarType type, const std::vector<std::int64_t>& shape,
                          at::MemoryFormat format) {
    const auto leaf = [&] {
      return torch::randn(shape, at::TensorOptions().device(device_->device()))
          .to(type)
          .contiguous(format)
          .requires_grad_();
    };
    const at::Tensor a = leaf();
    const at::Tensor b = leaf();
    const at::Tensor fused = add_relu(a.clone(), b);
    at::Tensor plain = a.clone();
    plain += b;
    plain.relu_();
    EXPECT_TRUE(fused.equal(plain));
    EXPECT_EQ(fused.strides(), plain.strides());
    EXPECT_GT(fused.eq(0).sum().item<std::int64_t>(), 0) << "some sums are negative";

    const at::Tensor gradient = torch::randn_like(plain);
    const auto of_fused = torch::autograd::grad({fused}, {a, b}, {gradient});
    const auto of_plain = torch::autograd::grad({plain}, {a, b}, {gradient});
    EXPECT_TRUE(of_fused[0].equal(of_plain[0]));
    EXPECT_TRUE(of_fused[1].equal(of_plain[1]));
  }

  std::unique_ptr<TrainingDevice> device_;
};

TEST_F(AddReluOnGpu, GivesValuesAndGradientsOfLibtorch) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    expect_as_libtorch(type, {4, 64, 14, 14}, at::MemoryFormat::ChannelsLast);
    expect_as_libtorch(type, {4, 64, 14, 14}, at::MemoryFormat::Contiguous);
    expect_as_libtorch(type, {1, 3, 5, 7}, at::MemoryFormat::ChannelsLast);  // ends inside a packet
  }
}

TEST_F(AddReluOnGpu, KeepsNotANumbers) {
  const auto options = at::TensorOptions().device(device_->device());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor sum = add_relu(at::full({9}, nan, options), at::ones({9}, options));
  EXPECT_TRUE(sum.isnan().all().item<bool>());
}

}  // namespace
}  // namespace traceml
