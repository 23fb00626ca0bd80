#include <gtest/gtest.h>

#include "tests/gpu_test.h"
#include "tests/workloads/torch/pattern_source.h"
#include "workloads/torch/training_device.h"

namespace traceml {
namespace {

using testing::PatternSource;

constexpr std::int64_t kImages = 8;
constexpr std::int64_t kSize = 64;
constexpr int kClasses = 1 << 20;  // labels are the numbers of batches

ArmConfig pattern_arm(bool pinned, Copy copy) {
  ArmConfig arm;
  arm.workload.batch_size = kImages;
  arm.workload.image_size = kSize;
  arm.workload.classes = kClasses;
  arm.input.pinned = pinned;
  arm.input.copy = copy;
  return arm;
}

class DeviceFeedOnGpu : public testing::GpuTest {
 protected:
  DeviceFeedOnGpu() {
    if (has_gpu()) device_ = make_cuda_device(0, true);
  }

  // Takes `batches` batches, each read late on the device, and counts those that were not whole.
  std::int64_t broken_batches(const ArmConfig& arm, std::int64_t batches) {
    auto owned = std::make_unique<PatternSource>(arm);
    PatternSource& source = *owned;
    const auto feed = device_->feed_of(std::move(owned), arm);
    const auto on_device = at::TensorOptions().device(device_->device());
    const at::Tensor load = at::ones({1024, 1024}, on_device.dtype(at::kFloat));
    const at::Tensor least = at::zeros({batches}, on_device.dtype(at::kByte));
    const at::Tensor most = at::zeros({batches}, on_device.dtype(at::kByte));
    const at::Tensor labels = at::zeros({batches}, on_device.dtype(at::kLong));
    feed->start(0);
    for (std::int64_t k = 0; k < batches; ++k) {
      const ArrivedBatch batch = feed->next();
      feed->transfer();
      // The reads come late, so that a copy that does not wait for them overwrites the batch.
      for (int i = 0; i < 4; ++i) load.matmul(load);
      least[k].copy_(batch.images.min());
      most[k].copy_(batch.images.max());
      labels[k].copy_(batch.labels.min());
      feed->release();
    }
    device_->finish();
    feed->park();
    EXPECT_EQ(source.batches_out_at_park, 0) << "park() came before the loader had all slots back";
    const at::Tensor expected = torch::arange(batches);
    const at::Tensor whole = least.cpu()
                                 .eq(expected.remainder(251))
                                 .logical_and(most.cpu().eq(expected.remainder(251)))
                                 .logical_and(labels.cpu().eq(expected));
    return batches - whole.sum().item<std::int64_t>();
  }

  std::unique_ptr<TrainingDevice> device_;
};

TEST_F(DeviceFeedOnGpu, BringsTwoThousandBatchesWholeWhileSlotsAreUsedAgain) {
  EXPECT_EQ(broken_batches(pattern_arm(true, Copy::kAsync), 2000), 0);
}

TEST_F(DeviceFeedOnGpu, BringsThemWholeFromPageableMemoryAndWithBlockingCopies) {
  EXPECT_EQ(broken_batches(pattern_arm(false, Copy::kAsync), 300), 0);
  EXPECT_EQ(broken_batches(pattern_arm(true, Copy::kBlocking), 300), 0);
  EXPECT_EQ(broken_batches(pattern_arm(false, Copy::kBlocking), 300), 0);
}

TEST_F(DeviceFeedOnGpu, TimesTheCopiesThemselves) {
  const ArmConfig arm = pattern_arm(true, Copy::kAsync);
  const auto feed = device_->feed_of(std::make_unique<PatternSource>(arm), arm);
  const auto take_ten = [&] {
    feed->start(0);
    for (int k = 0; k < 10; ++k) {
      feed->next();
      feed->transfer();
      feed->release();
    }
    feed->park();
  };
  take_ten();
  EXPECT_EQ(feed->copies().count, 0) << "a bare arm has no events of its own";
  feed->time_copies(true);
  take_ten();
  EXPECT_EQ(feed->copies().count, 10);
  EXPECT_EQ(feed->copies().bytes_each, kImages * (3 * kSize * kSize + 8));
  EXPECT_GT(feed->copies().total, Nanos{0});
}

}  // namespace
}  // namespace traceml
