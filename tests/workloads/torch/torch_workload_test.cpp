#include "workloads/torch/torch_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "tests/workloads/torch/memory_inputs.h"

namespace traceml {
namespace {

using testing::MemoryInputs;
using testing::MemoryInputsLog;

constexpr ArmIndex kReference{0};
constexpr ArmIndex kShipped{1};
constexpr ArmIndex kFloat{2};
constexpr ArmIndex kFloatReference{3};

ArmConfig arm_named(const std::string& name, Source source, SampleType dtype) {
  ArmConfig arm;
  arm.name = name;
  arm.workload.model = "resnet18";
  arm.workload.classes = 10;
  arm.workload.image_size = 32;
  arm.workload.batch_size = 2;
  arm.workload.threads = 1;
  arm.input.source = source;
  arm.input.dtype = dtype;
  return arm;
}

// Four arms of ResNet-18 at 32 px and batch 2: both types of samples, from memory and input-free.
Plan four_arms() {
  Plan plan;
  plan.config.seed = 11;
  plan.config.arms = {arm_named("reference", Source::kSynthetic, SampleType::kUint8),
                      arm_named("shipped", Source::kDataset, SampleType::kUint8),
                      arm_named("float", Source::kDataset, SampleType::kFloat32),
                      arm_named("float_reference", Source::kSynthetic, SampleType::kFloat32)};
  plan.config.workload = plan.config.arms[0].workload;
  return plan;
}

// One rank with nobody to meet; keeps the sizes of what is broadcast.
class CountingTransport final : public Transport {
 public:
  Rank rank() const override { return Rank{0}; }
  int world_size() const override { return 1; }
  void barrier() override {}
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  std::string broadcast(const std::string& bytes) override {
    broadcasts.push_back(bytes.size());
    return bytes;
  }
  [[noreturn]] void fail(const std::string& sentence, ExitCode /*code*/) override {
    throw RunError(sentence);
  }
  std::vector<std::size_t> broadcasts;
};

struct Job {
  explicit Job(Plan plan = four_arms())
      : arms(plan.config.arms.size()),
        workload(make_torch_workload(plan, transport, collective, std::nullopt,
                                     std::make_unique<MemoryInputs>(log))) {
    for (std::size_t i = 0; i < arms; ++i) workload->prepare(ArmIndex{static_cast<int>(i)});
  }

  // Losses of a window of `steps` steps.
  WindowLosses window(ArmIndex arm, int steps, PhaseMarks* marks = nullptr) {
    workload->begin(arm, 0, Instrument::kNone);
    workload->mark_first_loss();
    for (int i = 0; i < steps; ++i) workload->step(marks);
    workload->finish();
    return workload->end();
  }

  std::size_t arms;
  MemoryInputsLog log;
  CountingTransport transport;
  SingleCollective collective;
  std::unique_ptr<Workload> workload;
};

class CountingMarks final : public PhaseMarks {
 public:
  void enter(Phase /*phase*/) noexcept override { ++calls; }
  void leave() noexcept override { ++calls; }
  int calls = 0;
};

TEST(TorchWorkload, AReferenceMatchesItsCandidateForEachTypeOfSample) {
  Job job;
  const BatchContract uint8 = job.workload->contract(kShipped);
  EXPECT_EQ(uint8.dtype, "uint8");
  EXPECT_EQ(uint8.shape, (std::vector<std::int64_t>{2, 3, 32, 32}));
  EXPECT_EQ(uint8.strides, (std::vector<std::int64_t>{3 * 32 * 32, 1, 3 * 32, 3}));
  EXPECT_EQ(uint8.label_dtype, "int64");
  EXPECT_EQ(uint8.device_work, "normalize to float32 channels_last");
  EXPECT_EQ(job.workload->contract(kReference), uint8);

  const BatchContract float32 = job.workload->contract(kFloat);
  EXPECT_EQ(float32.dtype, "float32");
  EXPECT_EQ(float32.device_work, "none");
  EXPECT_EQ(job.workload->contract(kFloatReference), float32);
}

TEST(TorchWorkload, AContractSaysInWhatAWrongReferenceDiffers) {
  Plan plan = four_arms();
  plan.config.arms[3].workload.memory_format = MemoryFormat::kContiguous;
  plan.config.arms[2].workload.batch_size = 3;
  Job job(plan);
  const BatchContract candidate = job.workload->contract(kShipped);
  EXPECT_NE(job.workload->contract(kFloat).dtype, candidate.dtype);
  EXPECT_NE(job.workload->contract(kFloat).shape, candidate.shape);
  EXPECT_EQ(job.workload->contract(kFloatReference).device_work, "copy to contiguous");
  EXPECT_EQ(job.log.batches_out, 0) << "the batches looked at were given back";
}

TEST(TorchWorkload, ABareArmCallsNoMarkAndAnInstrumentedOneEveryPhase) {
  Job job;
  CountingMarks marks;
  job.window(kShipped, 2);
  EXPECT_EQ(marks.calls, 0);
  job.window(kShipped, 2, &marks);
  EXPECT_EQ(marks.calls, 2 * 7);
}

TEST(TorchWorkload, EveryWindowDoesTheSameWork) {
  Job job;
  const auto untrained = job.workload->parameters_digest();
  const WindowLosses first = job.window(kShipped, 3);
  const auto trained = job.workload->parameters_digest();
  job.window(kReference, 2);  // shares the model
  const WindowLosses again = job.window(kShipped, 3);

  EXPECT_NE(trained, untrained);
  EXPECT_EQ(job.workload->parameters_digest(), trained);
  EXPECT_TRUE(first.first && first.last);
  EXPECT_EQ(first.first, again.first);
  EXPECT_EQ(first.last, again.last);
  EXPECT_NE(first.first, first.last);
}

TEST(TorchWorkload, BeginRestoresTheInitialParametersAndStartsAtTheBatchAskedFor) {
  Job job;
  const auto untrained = job.workload->parameters_digest();
  job.window(kShipped, 2);
  job.workload->begin(kShipped, 40, Instrument::kNone);
  EXPECT_EQ(job.workload->parameters_digest(), untrained);
  EXPECT_EQ(job.log.starts, (std::vector<std::int64_t>{0, 40}));
  EXPECT_EQ(job.workload->queue_depth(), 2);
}

TEST(TorchWorkload, LossesAreThoseOfTheMarkedStepAndOfTheLastOne) {
  Job job;
  job.workload->begin(kReference, 0, Instrument::kNone);
  job.workload->step(nullptr);
  EXPECT_FALSE(job.workload->end().first) << "nothing was marked";
  const WindowLosses one_step = job.window(kReference, 1);
  EXPECT_EQ(one_step.first, one_step.last);
  const WindowLosses after_settling = [&job] {
    job.workload->begin(kReference, 0, Instrument::kNone);
    job.workload->step(nullptr);
    job.workload->mark_first_loss();
    job.workload->step(nullptr);
    return job.workload->end();
  }();
  EXPECT_NE(after_settling.first, one_step.first);
  EXPECT_EQ(after_settling.first, after_settling.last);
  EXPECT_EQ(job.workload->queue_depth(), std::nullopt);
}

TEST(TorchWorkload, ALossThatIsNotFiniteIsReportedAndDoesNotReachTheNextWindow) {
  Plan plan = four_arms();
  for (ArmConfig& arm : plan.config.arms) arm.workload.optimizer.lr = 1e30;
  Job job(plan);
  const WindowLosses diverged = job.window(kShipped, 4);
  ASSERT_TRUE(diverged.last);
  EXPECT_FALSE(std::isfinite(*diverged.last));
  const WindowLosses next = job.window(kShipped, 1);
  EXPECT_TRUE(std::isfinite(next.last.value()));
}

TEST(TorchWorkload, ArmsShareAModelUnlessTheyTrainItInAnotherWay) {
  Job shared;
  // The threads' cores, then one model.
  EXPECT_EQ(shared.transport.broadcasts.size(), 2U);
  Plan plan = four_arms();
  plan.config.arms[1].workload.precision = Precision::kBf16;
  plan.config.arms[2].workload.model = "resnet34";
  const Job own(plan);
  EXPECT_EQ(own.transport.broadcasts.size(), 4U);
  EXPECT_EQ(own.workload->facts().at("parameters.float"), "21289802");
}

TEST(TorchWorkload, TellsItsFactsAndTheCountersOfItsLoaders) {
  Job job;
  const auto facts = job.workload->facts();
  EXPECT_EQ(facts.at("model"), "resnet18");
  EXPECT_EQ(facts.at("parameters"), "11181642");
  EXPECT_EQ(facts.at("intra_op_threads"), "1");
  EXPECT_EQ(facts.at("libtorch"), torch_facts().value().version);
  EXPECT_EQ(facts.at("dataset_images"), "302");
  EXPECT_THAT(job.workload->replaced_files(), ::testing::IsSupersetOf({"a.jpg is empty", "b.jpg"}));
  EXPECT_EQ(job.workload->counters().at("samples_grey"), 6) << "of two loaders";
}

TEST(TorchWorkload, RefusesADeviceOrPrecisionThatItDoesNotHave) {
  Plan cuda = four_arms();
  cuda.config.arms[1].workload.device = Device::kCuda;
  EXPECT_THROW(Job{cuda}, UsageError);
  Plan fake = four_arms();
  fake.config.arms[1].workload.device = Device::kFake;
  EXPECT_THROW(Job{fake}, UsageError);
  Plan tf32 = four_arms();
  tf32.config.arms[1].workload.precision = Precision::kTf32;
  EXPECT_THROW(Job{tf32}, UsageError);
  Plan graph = four_arms();
  graph.config.arms[1].workload.execution = Execution::kGraph;
  EXPECT_THROW(Job{graph}, UsageError);
}

// Without the numbering that the runner needs.
class RecordsOfTwoBuckets final : public Collective {
 public:
  explicit RecordsOfTwoBuckets(Collective& next) : next_(next) {}
  void all_reduce_mean(const BucketView& bucket) override {
    CollectiveRecord record;
    record.bucket = bucket.bucket;
    record.bytes = bucket.count * 4;
    if (recording_) records_.push_back(record);
    next_.all_reduce_mean(bucket);
  }
  void wait(DeviceQueue queue) override { next_.wait(queue); }
  void set_recording(bool on) override { recording_ = on; }
  std::vector<CollectiveRecord> take_records() override { return std::exchange(records_, {}); }
  const char* name() const override { return "recording"; }

 private:
  Collective& next_;
  bool recording_ = false;
  std::vector<CollectiveRecord> records_;
};

TEST(TorchWorkload, CountsTheStepsOfCollectiveRecordsFromTheBeginOfTheWindow) {
  Plan plan = four_arms();
  plan.config.arms.resize(1);
  SingleTransport transport;
  SingleCollective single;
  RecordsOfTwoBuckets collective(single);
  MemoryInputsLog log;
  const auto workload = make_torch_workload(plan, transport, collective, std::nullopt,
                                            std::make_unique<MemoryInputs>(log));
  workload->prepare(kReference);
  for (const bool record : {false, true, true}) {
    workload->begin(kReference, 0, record ? Instrument::kEvents : Instrument::kNone);
    for (int step = 0; step < 3; ++step) workload->step(nullptr);
    workload->end();
    if (!record) {
      EXPECT_TRUE(workload->take_collectives().empty());
    }
  }
  const std::vector<CollectiveRecord> records = workload->take_collectives();
  ASSERT_GT(records.size(), 3U);
  ASSERT_EQ(records.size() % 3, 0U);
  const std::size_t buckets = records.size() / 3;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].step.value, static_cast<std::int64_t>(i / buckets));
    EXPECT_EQ(records[i].bucket, static_cast<int>(i % buckets));
    bytes += records[i].bytes;
  }
  EXPECT_NEAR(static_cast<double>(bytes), 3 * 4 * 11'181'642.0, 3 * 4 * 62 * 32.0);
}

TEST(TorchWorkload, RanksHoldEqualParametersAfterTrainingOnDifferentBatches) {
  SteadyHostClock clock;
  ThreadGroup group(2, clock);
  std::array<std::uint64_t, 2> digests{};
  std::array<double, 2> losses{};
  group.run([&](Transport& transport, Collective& collective) {
    const auto rank = static_cast<std::size_t>(transport.rank().value);
    MemoryInputsLog log;
    Plan plan = four_arms();
    plan.config.arms = {plan.config.arms[1]};
    plan.config.seed += rank;  // own weights, if they were not broadcast
    const auto workload = make_torch_workload(plan, transport, collective, std::nullopt,
                                              std::make_unique<MemoryInputs>(log, rank));
    workload->prepare(ArmIndex{0});
    workload->begin(ArmIndex{0}, 0, Instrument::kEvents);
    for (int step = 0; step < 3; ++step) workload->step(nullptr);
    workload->finish();
    losses.at(rank) = workload->end().last.value();
    digests.at(rank) = workload->parameters_digest().value();
  });
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(losses[0], losses[1]) << "both ranks saw the same batches";
}

TEST(TorchWorkload, LearnsSixtyFourFixedImagesWithinAHundredSteps) {
  Plan plan = four_arms();
  plan.config.arms.resize(1);
  plan.config.arms[0].workload.batch_size = 64;
  plan.config.arms[0].workload.optimizer = {0.01, 0.9, 0.0};
  Job job(plan);
  job.workload->begin(kReference, 0, Instrument::kNone);
  double loss = 10;
  int steps = 0;
  while (loss >= 0.1 && steps < 100) {
    for (int i = 0; i < 5; ++i, ++steps) job.workload->step(nullptr);
    loss = job.workload->end().last.value();
  }
  EXPECT_LT(loss, 0.1) << "after " << steps << " steps";
  RecordProperty("steps", steps);
}

}  // namespace
}  // namespace traceml
