// The kernel without libtorch: small enough for compute-sanitizer (ci/gpu --only sanitizers).
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/gpu_test.h"
#include "workloads/torch/normalise_kernel_cuda.h"

namespace traceml {
namespace {

struct DeviceMemoryDeleter {
  void operator()(void* memory) const noexcept { static_cast<void>(cudaFree(memory)); }
};

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorName(result));
}

// Exactly as many bytes as the values need, so that one byte beyond is out of bounds.
template <typename Value>
class OnDevice {
 public:
  // Uninitialised, so that a value nobody wrote is seen by initcheck.
  explicit OnDevice(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(Value)));
    memory_.reset(memory);
  }
  explicit OnDevice(const std::vector<Value>& values) : OnDevice(values.size()) {
    check(cudaMemcpy(get(), values.data(), count_ * sizeof(Value), cudaMemcpyHostToDevice));
  }

  Value* get() const { return static_cast<Value*>(memory_.get()); }

  // Once all that was queued has run.
  std::vector<Value> values() const {
    std::vector<Value> read(count_);
    check(cudaMemcpy(read.data(), get(), count_ * sizeof(Value), cudaMemcpyDeviceToHost));
    return read;
  }

 private:
  std::size_t count_;
  std::unique_ptr<void, DeviceMemoryDeleter> memory_;
};

struct Shape {
  std::int64_t images;
  std::int64_t pixels;
};

class NormaliseKernel : public testing::GpuTest, public ::testing::WithParamInterface<Shape> {
 protected:
  static constexpr int kChannels = 3;
  const std::vector<float> scale_ = {0.0171F, 0.0175F, 0.0174F};
  const std::vector<float> shift_ = {-2.118F, -2.036F, -1.804F};

  NormaliseKernel() {
    for (std::int64_t i = 0; i < count(); ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(i * 37 % 256));
    }
    for (std::int64_t i = 0; i < GetParam().images; ++i) labels_.push_back(1000 + i);
  }

  static std::int64_t count() { return GetParam().images * GetParam().pixels * kChannels; }

  // Of value i of the bytes; where `planar`, of value i of the planes.
  float expected(std::int64_t i, bool planar) const {
    const std::int64_t pixels = GetParam().pixels;
    const std::int64_t channel = planar ? i / pixels % kChannels : i % kChannels;
    const std::int64_t pixel =
        planar ? i / pixels / kChannels * pixels + i % pixels : i / kChannels;
    const auto byte =
        static_cast<float>(bytes_.at(static_cast<std::size_t>(pixel * kChannels + channel)));
    const auto c = static_cast<std::size_t>(channel);
    return std::fma(byte, scale_[c], shift_[c]);
  }

  template <typename Value>
  std::vector<Value> normalised(NormalisedType type, bool planar) {
    OnDevice bytes(bytes_);
    OnDevice labels(labels_);
    OnDevice scale(scale_);
    OnDevice shift(shift_);
    OnDevice<Value> values(static_cast<std::size_t>(count()));
    OnDevice<std::int64_t> labels_out(labels_.size());
    NormaliseRequest request;
    request.bytes = bytes.get();
    request.values = values.get();
    request.type = type;
    request.planar = planar;
    request.images = GetParam().images;
    request.pixels = GetParam().pixels;
    request.scale = scale.get();
    request.shift = shift.get();
    request.labels_in = labels.get();
    request.labels_out = labels_out.get();
    EXPECT_EQ(queue_normalise(request, DeviceQueue{}), nullptr);
    EXPECT_EQ(labels_out.values(), labels_);
    return values.values();
  }

  std::vector<std::uint8_t> bytes_;
  std::vector<std::int64_t> labels_;
};

TEST_P(NormaliseKernel, WritesEveryValueAndLabelOnceInBothLayouts) {
  for (const bool planar : {false, true}) {
    const std::vector<float> values = normalised<float>(NormalisedType::kFloat32, planar);
    for (std::int64_t i = 0; i < count(); ++i) {
      ASSERT_EQ(values.at(static_cast<std::size_t>(i)), expected(i, planar)) << "value " << i;
    }
  }
}

TEST_P(NormaliseKernel, RoundsToBfloat16) {
  for (const bool planar : {false, true}) {
    const auto values = normalised<std::uint16_t>(NormalisedType::kBfloat16, planar);
    for (std::int64_t i = 0; i < count(); ++i) {
      const auto bits = std::uint32_t{values.at(static_cast<std::size_t>(i))} << 16;
      const float wanted = expected(i, planar);
      ASSERT_NEAR(std::bit_cast<float>(bits), wanted, std::abs(wanted) / 256 + 1e-7F) << i;
    }
  }
}

// Sizes that fill no word, more labels than words, and one that takes several blocks.
INSTANTIATE_TEST_SUITE_P(Shapes, NormaliseKernel,
                         ::testing::Values(Shape{1, 1}, Shape{3, 49}, Shape{500, 1}, Shape{2, 1089},
                                           Shape{4, 1024}));

}  // namespace
}  // namespace traceml
