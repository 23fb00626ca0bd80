#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tests/gpu_test.h"
#include "workloads/torch/training_device.h"

namespace traceml {
namespace {

class NormaliseOnGpu : public testing::GpuTest {
 protected:
  NormaliseOnGpu() {
    if (has_gpu()) device_ = make_cuda_device(0, true);
  }

  // Every byte value, for images of `size` pixels square.
  static ArrivedBatch bytes(std::int64_t images, std::int64_t size) {
    const at::Tensor values = torch::arange(images * 3 * size * size).mul(37).remainder(256);
    return {values.to(at::kByte)
                .reshape({images, 3, size, size})
                .contiguous(at::MemoryFormat::ChannelsLast),
            torch::arange(images)};
  }

  ArrivedBatch on_device(const ArrivedBatch& batch) const {
    return {batch.images.to(device_->device()), batch.labels.to(device_->device())};
  }

  // Largest difference from the same arithmetic in double precision.
  double error_of(std::int64_t images, std::int64_t size, at::ScalarType type,
                  at::MemoryFormat format) {
    const ArrivedBatch batch = bytes(images, size);
    const at::Tensor scale = torch::tensor({0.0171F, 0.0175F, 0.0174F}).reshape({1, 3, 1, 1});
    const at::Tensor shift = torch::tensor({-2.118F, -2.036F, -1.804F}).reshape({1, 3, 1, 1});
    const at::Tensor expected =
        batch.images.to(at::kDouble) * scale.to(at::kDouble) + shift.to(at::kDouble);
    const ArrivedBatch out = {
        at::full({images, 3, size, size}, 99,
                 at::TensorOptions().dtype(type).device(device_->device()))
            .contiguous(format),
        at::full({images}, -1, at::TensorOptions().dtype(at::kLong).device(device_->device()))};
    device_->normalize(on_device(batch), {scale.to(device_->device()), shift.to(device_->device())},
                       out);
    device_->finish();
    EXPECT_TRUE(out.labels.cpu().equal(batch.labels));
    return (out.images.cpu().to(at::kDouble) - expected).abs().max().item<double>();
  }

  std::unique_ptr<TrainingDevice> device_;
};

TEST_F(NormaliseOnGpu, GivesFloat32InBothMemoryFormatsForSizesThatFillNoWord) {
  for (const at::MemoryFormat format :
       {at::MemoryFormat::ChannelsLast, at::MemoryFormat::Contiguous}) {
    EXPECT_LT(error_of(128, 224, at::kFloat, format), 1e-6);
    EXPECT_LT(error_of(1, 33, at::kFloat, format), 1e-6);
    EXPECT_LT(error_of(3, 7, at::kFloat, format), 1e-6);
    EXPECT_LT(error_of(500, 1, at::kFloat, format), 1e-6) << "more labels than groups of pixels";
  }
}

TEST_F(NormaliseOnGpu, RoundsBfloat16ToItsEightBits) {
  constexpr double kHalfAStep = 1.0 / 128;  // values reach 2.7: steps of 2^-6 there
  const double error = error_of(2, 32, at::kBFloat16, at::MemoryFormat::ChannelsLast);
  EXPECT_LE(error, kHalfAStep);
  EXPECT_GT(error, 1e-4) << "it would pass in float32";
}

}  // namespace
}  // namespace traceml
