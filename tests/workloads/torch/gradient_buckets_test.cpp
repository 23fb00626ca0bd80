#include "workloads/torch/gradient_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/workloads/torch/small_network.h"
#include "workloads/torch/resnet.h"

namespace traceml {
namespace {

// Remembers what was handed over, and asks `observe` at each hand-over.
class RecordingCollective final : public Collective {
 public:
  void all_reduce_mean(const BucketView& bucket) override {
    handed_over.push_back(bucket);
    if (observe) observe(bucket);
  }
  void wait(DeviceQueue /*queue*/) override { waited_after.push_back(handed_over.size()); }
  void set_recording(bool /*on*/) override {}
  std::vector<CollectiveRecord> take_records() override { return {}; }
  const char* name() const override { return "recording"; }

  std::vector<int> order() const {
    std::vector<int> numbers;
    for (const BucketView& bucket : handed_over) numbers.push_back(bucket.bucket);
    return numbers;
  }

  std::vector<BucketView> handed_over;
  std::vector<std::size_t> waited_after;
  std::function<void(const BucketView&)> observe;
};

std::vector<at::Tensor> reversed_parameters(const Network& network) {
  std::vector<at::Tensor> parameters = network.parameters();
  std::reverse(parameters.begin(), parameters.end());
  return parameters;
}

// A small network in buckets of about 1 KiB.
struct Fixture {
  testing::SmallNetwork network{5};
  std::vector<at::Tensor> parameters = reversed_parameters(network);
  FlatSgd sgd{parameters, OptimizerConfig{}};
  RecordingCollective collective;
  GradientBuckets buckets{parameters, sgd, 1.0 / 1024, collective};

  void backward() { network.forward(torch::randn({2, 3, 8, 8})).sum().backward(); }
};

TEST(GradientBuckets, CoverTheFlatBufferWithoutGapOrOverlap) {
  Fixture f;
  auto* expected = f.sgd.gradients().data_ptr<float>();
  for (const BucketView& view : f.buckets.views()) {
    EXPECT_EQ(view.data, expected);
    EXPECT_EQ(view.type, ElementType::kFloat32);
    expected += view.count;
  }
  EXPECT_EQ(expected, f.sgd.gradients().data_ptr<float>() + f.sgd.gradients().numel());
  EXPECT_GE(f.buckets.views().size(), 3U);
}

TEST(GradientBuckets, OfResNet50BeginWithOneMebibyteAndGoOnWithBucketMb) {
  const auto network = make_resnet("resnet50", 1000, 0);
  const std::vector<at::Tensor> parameters = reversed_parameters(*network);
  const FlatSgd sgd(parameters, OptimizerConfig{});
  RecordingCollective collective;
  const GradientBuckets buckets(parameters, sgd, 25, collective);
  ASSERT_EQ(buckets.views().size(), 5U);
  // fc alone, 7.8 MiB, closes the first bucket; the next ones close at the first tensor beyond 25.
  EXPECT_EQ(buckets.views()[0].count, 1024 + 2048 * 1000);
  for (std::size_t i = 1; i + 1 < buckets.views().size(); ++i) {
    const auto mib = static_cast<double>(buckets.views()[i].count) * 4 / (1 << 20);
    EXPECT_GE(mib, 25.0) << i;
    EXPECT_LE(mib, 25.0 + 9.1) << i;
  }
}

TEST(GradientBuckets, TheFirstOneIsNoLargerThanAskedFor) {
  Fixture f;
  EXPECT_LE(f.buckets.views()[0].count * 4, 1024 + 8 * 72 * 4);
}

TEST(GradientBuckets, LeaveInOrderWhileBackwardStillRuns) {
  Fixture f;
  // The first layer's weight is the last gradient of a backward.
  const at::Tensor last_gradient = f.sgd.gradient_views().back();
  std::vector<bool> last_is_final;
  std::vector<bool> bucket_is_final;
  f.collective.observe = [&](const BucketView& bucket) {
    last_is_final.push_back(last_gradient.count_nonzero().item<std::int64_t>() > 0);
    const at::Tensor values = at::from_blob(bucket.data, {bucket.count});
    bucket_is_final.push_back(values.count_nonzero().item<std::int64_t>() > 0);
  };
  f.backward();
  const std::size_t count = f.buckets.views().size();
  ASSERT_EQ(last_is_final.size(), count) << "all buckets leave in the backward";
  for (std::size_t i = 0; i + 1 < count; ++i) EXPECT_FALSE(last_is_final[i]) << i;
  EXPECT_TRUE(last_is_final.back());
  EXPECT_EQ(std::count(bucket_is_final.begin(), bucket_is_final.end(), true),
            static_cast<std::ptrdiff_t>(count));
  EXPECT_TRUE(f.collective.waited_after.empty());
  f.buckets.finish_step();
  EXPECT_EQ(f.collective.waited_after, std::vector<std::size_t>{count});
}

TEST(GradientBuckets, HoldEveryGradientOfTheirParametersWhenTheyLeave) {
  Fixture f;
  std::vector<at::Tensor> as_handed_over;
  f.collective.observe = [&](const BucketView& bucket) {
    as_handed_over.push_back(at::from_blob(bucket.data, {bucket.count}).clone());
  };
  f.backward();
  EXPECT_TRUE(torch::cat(as_handed_over).equal(f.sgd.gradients()));
}

TEST(GradientBuckets, HoldWhatAutogradGivesWithoutThemAndGiveItsMemoryUp) {
  Fixture f;
  testing::SmallNetwork alone{5};
  for (std::size_t i = 0; i < alone.parameters().size(); ++i) {
    const torch::NoGradGuard no_grad;
    alone.parameters()[i].copy_(f.network.parameters()[i]);
  }
  const at::Tensor images = torch::randn({2, 3, 8, 8});
  alone.forward(images).sum().backward();
  f.network.forward(images).sum().backward();
  std::vector<at::Tensor> expected = reversed_parameters(alone);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(f.sgd.gradient_views()[i].equal(expected[i].grad())) << i;
    EXPECT_FALSE(f.parameters[i].grad().defined()) << i;
  }
}

TEST(GradientBuckets, EveryStepHandsOverAllBucketsOnce) {
  Fixture f;
  std::vector<int> expected;
  for (int step = 0; step < 3; ++step) {
    for (const BucketView& view : f.buckets.views()) expected.push_back(view.bucket);
    f.backward();
    f.buckets.finish_step();
  }
  EXPECT_EQ(f.collective.order(), expected);
}

TEST(GradientBuckets, ABucketThatIsReadyEarlyWaitsForThoseBeforeIt) {
  const std::vector<at::Tensor> parameters = {torch::ones({400}, at::requires_grad()),
                                              torch::ones({400}, at::requires_grad()),
                                              torch::ones({400}, at::requires_grad())};
  const FlatSgd sgd(parameters, OptimizerConfig{});
  RecordingCollective collective;
  GradientBuckets buckets(parameters, sgd, 1.0 / 1024, collective);
  buckets.gradient_ready(2);
  buckets.gradient_ready(1);
  EXPECT_TRUE(collective.order().empty());
  buckets.gradient_ready(0);
  EXPECT_EQ(collective.order(), (std::vector<int>{0, 1, 2}));
}

TEST(GradientBuckets, AParameterThatBackwardDoesNotReachIsExchangedAllTheSame) {
  const std::vector<at::Tensor> parameters = {torch::ones({400}, at::requires_grad()),
                                              torch::ones({400}, at::requires_grad())};
  const FlatSgd sgd(parameters, OptimizerConfig{});
  RecordingCollective collective;
  GradientBuckets buckets(parameters, sgd, 1.0 / 1024, collective);
  sgd.gradients().fill_(7);  // of an earlier step
  for (int step = 0; step < 2; ++step) {
    parameters[1].sum().backward();
    buckets.finish_step();
  }
  EXPECT_TRUE(sgd.gradient_views()[0].eq(0).all().item<bool>());
  EXPECT_TRUE(sgd.gradient_views()[1].eq(1).all().item<bool>());
  EXPECT_EQ(collective.order(), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(collective.waited_after, (std::vector<std::size_t>{2, 4}));
}

}  // namespace
}  // namespace traceml
