#include "workloads/torch/training_step.h"

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "tests/workloads/torch/memory_inputs.h"
#include "tests/workloads/torch/small_network.h"
#include "workloads/torch/loader_tensors.h"
#include "workloads/torch/replica.h"

namespace traceml {
namespace {

using testing::MemoryInputsLog;
using testing::MemorySource;
using testing::SmallNetwork;

ArmConfig small_arm(SampleType dtype, MemoryFormat format = MemoryFormat::kChannelsLast) {
  ArmConfig arm;
  arm.workload.classes = 5;
  arm.workload.image_size = 8;
  arm.workload.batch_size = 4;
  arm.workload.memory_format = format;
  arm.workload.bucket_mb = 1.0 / 1024;
  arm.workload.optimizer = {0.01, 0.9, 1e-4};
  arm.input.dtype = dtype;
  return arm;
}

// Serves rows first .. first + rows of one batch, always the same ones.
class FixedFeed final : public BatchFeed {
 public:
  FixedFeed(at::Tensor images, at::Tensor labels) : batch_{std::move(images), std::move(labels)} {}
  void start(std::int64_t /*first*/) override {}
  ArrivedBatch next() override { return batch_; }
  void release() override {}
  void park() override {}
  std::optional<std::int64_t> ready() const override { return std::nullopt; }
  std::map<std::string, std::int64_t> counters() const override { return {}; }

 private:
  ArrivedBatch batch_;
};

// Rows [first, first + rows) of a batch of 8 images.
FixedFeed rows_of_batch(std::int64_t first, std::int64_t rows) {
  at::Tensor images = torch::linspace(-2, 2, 8 * 3 * 8 * 8).sin().mul(50).cos();
  images = images.reshape({8, 3, 8, 8}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor labels = torch::arange(8).remainder(5);
  return {images.slice(0, first, first + rows), labels.slice(0, first, first + rows)};
}

// Distinct start weights on each rank: only a broadcast makes them equal.
std::shared_ptr<SmallNetwork> network_of(Rank rank) {
  auto network = std::make_shared<SmallNetwork>(5);
  const torch::NoGradGuard no_grad;
  for (const at::Tensor& p : network->parameters()) {
    const at::Tensor ramp = torch::arange(p.numel(), at::kFloat).add(1 + rank.value).mul(7).sin();
    p.copy_(ramp.mul(0.15).reshape(p.sizes()));
  }
  return network;
}

at::Tensor flat(const Network& network) {
  std::vector<at::Tensor> all;
  for (const at::Tensor& p : network.parameters()) all.push_back(p.detach().flatten());
  return torch::cat(all);
}

at::Tensor parameters_after_five_steps(Transport& transport, Collective& collective,
                                       FixedFeed feed) {
  const ArmConfig arm = small_arm(SampleType::kFloat32);
  const auto network = network_of(transport.rank());
  Replica replica(network, arm.workload, at::kCPU, transport, collective);
  const auto device = make_cpu_device();
  BatchTransform transform(arm, *device);
  for (int step = 0; step < 5; ++step) {
    training_step(replica.trained(), feed, transform, nullptr);
  }
  return flat(*network);
}

TEST(TrainingStep, TwoRanksOnTheHalvesOfABatchEqualOneRankOnTheWholeBatch) {
  SingleTransport alone;
  SingleCollective no_exchange;
  const at::Tensor whole = parameters_after_five_steps(alone, no_exchange, rows_of_batch(0, 8));

  SteadyHostClock clock;
  ThreadGroup group(2, clock);
  std::array<at::Tensor, 2> halves;
  group.run([&halves](Transport& transport, Collective& collective) {
    const int rank = transport.rank().value;
    halves.at(static_cast<std::size_t>(rank)) =
        parameters_after_five_steps(transport, collective, rows_of_batch(4 * rank, 4));
  });

  const double scale = whole.abs().max().item<double>();
  EXPECT_LE((halves[0] - whole).abs().max().item<double>() / scale, 1e-5);
  EXPECT_TRUE(halves[0].equal(halves[1])) << "ranks hold bit-equal parameters";
  const at::Tensor untrained = flat(*network_of(Rank{0}));
  EXPECT_GT((whole - untrained).abs().max().item<double>() / scale, 1e-3)
      << "the test would pass without training";
}

// The phases in the order of their begins; kTraced stands for leave(). Asks `observe` at each.
class LoggingMarks final : public PhaseMarks {
 public:
  explicit LoggingMarks(const MemoryInputsLog& inputs) : inputs_(inputs) {}
  void enter(Phase phase) noexcept override { note(phase); }
  void leave() noexcept override { note(Phase::kTraced); }

  std::vector<Phase> phases;
  std::vector<std::int64_t> batches_out;

 private:
  void note(Phase phase) {
    phases.push_back(phase);
    batches_out.push_back(inputs_.batches_out);
  }
  const MemoryInputsLog& inputs_;
};

// What the marks of one step on a loader's batch see.
LoggingMarks marks_of_a_step(const ArmConfig& arm, MemoryInputsLog& log) {
  SingleTransport transport;
  SingleCollective collective;
  Replica replica(network_of(Rank{0}), arm.workload, at::kCPU, transport, collective);
  const auto device = make_cpu_device();
  BatchTransform transform(arm, *device);
  const auto feed = make_loader_feed(std::make_unique<MemorySource>(arm, 0, log), arm);
  LoggingMarks marks(log);
  feed->start(0);
  const at::Tensor loss = training_step(replica.trained(), *feed, transform, &marks);
  EXPECT_TRUE(loss.isfinite().item<bool>());
  EXPECT_FALSE(loss.requires_grad());
  return marks;
}

TEST(TrainingStep, AUint8BatchIsNormalizedAndThenGivenBackBeforeForward) {
  MemoryInputsLog log;
  const LoggingMarks marks = marks_of_a_step(small_arm(SampleType::kUint8), log);
  EXPECT_EQ(marks.phases,
            (std::vector<Phase>{Phase::kInputWait, Phase::kNormalize, Phase::kForward, Phase::kLoss,
                                Phase::kBackward, Phase::kOptimizer, Phase::kTraced}));
  EXPECT_EQ(marks.batches_out, (std::vector<std::int64_t>{0, 1, 0, 0, 0, 0, 0}));
}

TEST(TrainingStep, AFloat32BatchIsReadInPlaceAndGivenBackAfterBackward) {
  MemoryInputsLog log;
  const LoggingMarks marks = marks_of_a_step(small_arm(SampleType::kFloat32), log);
  EXPECT_EQ(marks.phases,
            (std::vector<Phase>{Phase::kInputWait, Phase::kForward, Phase::kLoss, Phase::kBackward,
                                Phase::kOptimizer, Phase::kTraced}));
  EXPECT_EQ(marks.batches_out, (std::vector<std::int64_t>{0, 1, 1, 1, 0, 0}));
}

TEST(TrainingStep, AContiguousModelCopiesTheBatchToItsFormatFirst) {
  MemoryInputsLog log;
  const LoggingMarks marks =
      marks_of_a_step(small_arm(SampleType::kFloat32, MemoryFormat::kContiguous), log);
  EXPECT_EQ(marks.phases[1], Phase::kNormalize);
  EXPECT_EQ(marks.batches_out, (std::vector<std::int64_t>{0, 1, 0, 0, 0, 0, 0}));
}

// A batch that holds nothing until it is decoded.
class UndecodedFeed final : public BatchFeed {
 public:
  explicit UndecodedFeed(const ArmConfig& arm)
      : tensors_(arm), batch_(tensors_.empty_on(at::kCPU)) {
    batch_.images.fill_(std::numeric_limits<float>::quiet_NaN());
    batch_.labels.zero_();
  }
  void start(std::int64_t /*first*/) override {}
  ArrivedBatch next() override { return batch_; }
  bool decodes() const override { return true; }
  void decode() override { batch_.images.fill_(0.5F); }
  void release() override {}
  void park() override {}
  std::optional<std::int64_t> ready() const override { return std::nullopt; }
  std::map<std::string, std::int64_t> counters() const override { return {}; }

 private:
  LoaderTensors tensors_;
  ArrivedBatch batch_;
};

TEST(TrainingStep, ABatchThatTheTrainingThreadDecodesIsDecodedInAPhaseOfItsOwn) {
  const ArmConfig arm = small_arm(SampleType::kFloat32);
  SingleTransport transport;
  SingleCollective collective;
  Replica replica(network_of(Rank{0}), arm.workload, at::kCPU, transport, collective);
  const auto device = make_cpu_device();
  BatchTransform transform(arm, *device);
  UndecodedFeed feed(arm);
  const MemoryInputsLog log;
  LoggingMarks marks(log);
  const at::Tensor loss = training_step(replica.trained(), feed, transform, &marks);
  EXPECT_TRUE(loss.isfinite().item<bool>()) << "forward came before decoding";
  EXPECT_EQ(marks.phases,
            (std::vector<Phase>{Phase::kInputWait, Phase::kDecode, Phase::kForward, Phase::kLoss,
                                Phase::kBackward, Phase::kOptimizer, Phase::kTraced}));
}

// What a network is given.
class InputSpy final : public Network {
 public:
  InputSpy() { weight_ = register_parameter("weight", torch::ones({5, 3})); }
  at::Tensor forward(at::Tensor images) override {
    input = images;
    const at::Tensor logits = torch::linear(images.mean({2, 3}), weight_);
    logits_type = logits.scalar_type();
    return logits;
  }
  at::Tensor input;
  at::ScalarType logits_type = at::kFloat;

 private:
  at::Tensor weight_;
};

at::Tensor input_of_the_network(const ArmConfig& arm, const ArrivedBatch& batch,
                                at::ScalarType* logits_type = nullptr) {
  SingleTransport transport;
  SingleCollective collective;
  const auto spy = std::make_shared<InputSpy>();
  Replica replica(spy, arm.workload, at::kCPU, transport, collective);
  const auto device = make_cpu_device();
  BatchTransform transform(arm, *device);
  FixedFeed feed(batch.images, batch.labels);
  training_step(replica.trained(), feed, transform, nullptr);
  if (logits_type != nullptr) *logits_type = spy->logits_type;
  return spy->input;
}

ArrivedBatch uint8_batch() {
  return {torch::arange(4 * 3 * 8 * 8)
              .remainder(256)
              .to(at::kByte)
              .reshape({4, 3, 8, 8})
              .contiguous(at::MemoryFormat::ChannelsLast),
          torch::arange(4)};
}

TEST(TrainingStep, NormalizesUint8WithMeanAndStandardDeviationOfImageNet) {
  const ArrivedBatch batch = uint8_batch();
  const at::Tensor mean = torch::tensor({0.485, 0.456, 0.406}).reshape({1, 3, 1, 1});
  const at::Tensor std = torch::tensor({0.229, 0.224, 0.225}).reshape({1, 3, 1, 1});
  const at::Tensor expected = (batch.images.to(at::kDouble) / 255 - mean) / std;
  for (const MemoryFormat format : {MemoryFormat::kChannelsLast, MemoryFormat::kContiguous}) {
    const at::Tensor input = input_of_the_network(small_arm(SampleType::kUint8, format), batch);
    EXPECT_EQ(input.scalar_type(), at::kFloat);
    EXPECT_LT((input - expected).abs().max().item<double>(), 2e-6);
    EXPECT_TRUE(input.is_contiguous(format == MemoryFormat::kChannelsLast
                                        ? at::MemoryFormat::ChannelsLast
                                        : at::MemoryFormat::Contiguous));
  }
}

TEST(TrainingStep, Bf16RunsTheForwardInBfloat16OnFloat32Weights) {
  ArmConfig arm = small_arm(SampleType::kUint8);
  at::ScalarType logits_type = at::kByte;
  input_of_the_network(arm, uint8_batch(), &logits_type);
  EXPECT_EQ(logits_type, at::kFloat);
  arm.workload.precision = Precision::kBf16;
  input_of_the_network(arm, uint8_batch(), &logits_type);
  EXPECT_EQ(logits_type, at::kBFloat16);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

at::Tensor loss_of_a_step(const ArmConfig& arm, BatchFeed& feed) {
  SingleTransport transport;
  SingleCollective collective;
  Replica replica(network_of(Rank{0}), arm.workload, at::kCPU, transport, collective);
  const auto device = make_cpu_device();
  BatchTransform transform(arm, *device);
  return training_step(replica.trained(), feed, transform, nullptr);
}

TEST(TrainingStep, NothingOfABatchIsReadAfterItWasGivenBack) {
  for (const SampleType dtype : {SampleType::kUint8, SampleType::kFloat32}) {
    MemoryInputsLog log;
    const ArmConfig arm = small_arm(dtype);
    const auto feed = make_loader_feed(std::make_unique<MemorySource>(arm, 0, log), arm);
    feed->start(7);
    const ArrivedBatch batch = feed->next();
    FixedFeed kept(batch.images.clone(), batch.labels.clone());
    feed->park();
    feed->start(7);
    EXPECT_TRUE(loss_of_a_step(arm, *feed).equal(loss_of_a_step(arm, kept)));
    EXPECT_TRUE(batch.labels.eq(0).all().item<bool>()) << "the source overwrites what it gets back";
  }
}

TEST(TrainingStep, ALoaderThatDeliversAnotherBatchSizeIsRefused) {
  MemoryInputsLog log;
  const ArmConfig made = small_arm(SampleType::kUint8);
  ArmConfig expected = made;
  expected.workload.batch_size = 6;
  const auto feed = make_loader_feed(std::make_unique<MemorySource>(made, 0, log), expected);
  feed->start(0);
  EXPECT_THROW(feed->next(), RunError);
}

TEST(TrainingStep, ParkingAFeedGivesBackABatchThatIsStillOut) {
  MemoryInputsLog log;
  const ArmConfig arm = small_arm(SampleType::kUint8);
  const auto feed = make_loader_feed(std::make_unique<MemorySource>(arm, 0, log), arm);
  feed->start(0);
  feed->next();
  feed->park();
  EXPECT_EQ(log.parks, 1);
  EXPECT_EQ(log.parks_with_batches_out, 0);
}

}  // namespace
}  // namespace traceml
