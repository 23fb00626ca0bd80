// What a loader records of its batches, and that it costs nothing where it records none.

#include "workloads/input/batch_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "tests/workloads/input/allocation_count.h"
#include "tests/workloads/input/test_images.h"
#include "workloads/input/batch_loader.h"

namespace traceml {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr int kImages = 45;
constexpr int kBatch = 4;
constexpr int kSize = 20;

// A clock that moves on by one millisecond with each look at it, and counts the looks.
class CountingClock final : public StageClock {
 public:
  Nanos now() const noexcept override { return std::chrono::milliseconds(++looks_); }
  Nanos thread_cpu() const noexcept override { return std::chrono::milliseconds(++cpu_looks_); }
  void advance(std::chrono::milliseconds by) { looks_ += static_cast<int>(by.count()); }
  int looks() const { return looks_; }
  int cpu_looks() const { return cpu_looks_; }

 private:
  mutable std::atomic<int> looks_{0};
  mutable std::atomic<int> cpu_looks_{0};
};

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest() { write_plain_tree(folder_, 3, kImages); }

  LoaderOptions options_of(int workers, SampleType type = SampleType::kUint8) const {
    LoaderOptions options;
    options.workers = workers;
    options.dtype = type;
    options.on_error = OnError::kReplace;
    options.image_size = kSize;
    options.batch_size = kBatch;
    options.seed = 7;
    return options;
  }

  std::unique_ptr<BatchLoader> loader(const LoaderOptions& options) {
    dataset_ = std::make_shared<const Dataset>(load_dataset(folder_.path()));
    const SampleOrder order(7, kImages, kBatch, Rank{0}, 1);
    return std::make_unique<BatchLoader>(options, order, dataset_);
  }

  // On the counting clock.
  std::unique_ptr<BatchLoader> loader(int workers, SampleType type = SampleType::kUint8) {
    LoaderOptions options = options_of(workers, type);
    options.clock = &clock_;
    return loader(options);
  }

  static void take_some(BatchLoader& source, int batches) {
    source.start(0);
    for (int i = 0; i < batches; ++i) source.release(source.next());
    source.park();
  }

  TestFolder folder_;
  CountingClock clock_;
  std::shared_ptr<const Dataset> dataset_;
};

TEST_F(RecordingTest, ReadsNoClockUnlessAskedTo) {
  for (const int workers : {0, 2}) {
    const auto source = loader(workers);
    take_some(*source, 6);
    EXPECT_THAT(source->records(), IsEmpty());
    source->record(6);
    take_some(*source, 6);
    EXPECT_EQ(source->records().size(), 6U);
    const int looks = clock_.looks(), cpu_looks = clock_.cpu_looks();
    EXPECT_GT(looks, 0);
    source->record(0);
    take_some(*source, 6);
    EXPECT_EQ(clock_.looks(), looks);
    EXPECT_EQ(clock_.cpu_looks(), cpu_looks);
    EXPECT_THAT(source->records(), IsEmpty());
  }
}

// Four looks a sample, two of them at the processor's clock besides; three a batch.
TEST_F(RecordingTest, ReadsEachClockSoManyTimesASample) {
  const auto source = loader(0);
  source->record(10);
  take_some(*source, 10);
  EXPECT_EQ(clock_.looks(), 1 + 10 * (3 + kBatch * 4));
  EXPECT_EQ(clock_.cpu_looks(), 10 * kBatch * 2);
}

TEST_F(RecordingTest, AddsUpTheStagesOfTheSamples) {
  using namespace std::chrono_literals;
  const auto source = loader(0, SampleType::kFloat32);
  source->record(10);
  take_some(*source, 3);
  const std::vector<InputRecord> records = source->records();
  ASSERT_EQ(records.size(), 3U);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const InputRecord& record = records[i];
    EXPECT_EQ(record.step.value, static_cast<std::int64_t>(i));
    EXPECT_EQ(record.batch, static_cast<std::int64_t>(i));
    EXPECT_EQ(record.read, kBatch * 1ms);
    EXPECT_EQ(record.decode, kBatch * 1ms);
    EXPECT_EQ(record.resize, kBatch * 1ms);
    EXPECT_EQ(record.cpu, kBatch * 1ms);
    EXPECT_EQ(record.slowest, 3ms);
    EXPECT_EQ(record.slot_wait, 0ms);
    EXPECT_EQ(record.begun - record.asked, 1ms);
    EXPECT_EQ(record.ready - record.begun, (kBatch * 4 - 1) * 1ms);
    EXPECT_EQ(record.taken - record.ready, 1ms);
    EXPECT_EQ(record.released.value() - record.taken, 1ms);
    EXPECT_EQ(record.queue_depth, std::nullopt);
    EXPECT_THAT(record.slowest_file, StartsWith("class_"));
    EXPECT_EQ(record.copy, std::nullopt);
  }
}

TEST_F(RecordingTest, OfWorkersHoldsTogether) {
  for (const Scheduling scheduling : {Scheduling::kPerSample, Scheduling::kPerBatch}) {
    LoaderOptions options = options_of(2);
    options.scheduling = scheduling;
    const auto source = loader(options);
    source->record(20);
    source->start(3);
    for (int i = 0; i < 20; ++i) source->release(source->next());
    source->park();
    const std::vector<InputRecord> records = source->records();
    ASSERT_EQ(records.size(), 20U);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const InputRecord& record = records[i];
      EXPECT_EQ(record.batch, static_cast<std::int64_t>(i) + 3);
      EXPECT_GT(record.read, Nanos{0});
      EXPECT_GT(record.decode, Nanos{0});
      EXPECT_GT(record.resize, Nanos{0});
      EXPECT_GT(record.cpu.value(), Nanos{0});
      EXPECT_GE(record.slot_wait, Nanos{0});
      EXPECT_LE(record.slowest, record.read + record.decode + record.resize);
      EXPECT_LT(record.begun, record.ready);
      EXPECT_LE(record.ready, record.taken);
      EXPECT_LE(record.asked, record.taken);
      EXPECT_LE(record.taken, record.released.value());
      EXPECT_GE(record.queue_depth.value(), 0);
    }
  }
}

// The looks of both threads move the clock on, by far less than a second.
TEST_F(RecordingTest, CallsItWaitingForASlotWhereAWorkerIsHeldBackAndNotWhereItIsParked) {
  using namespace std::chrono_literals;
  LoaderOptions options = options_of(1);
  options.prefetch = 1;
  options.clock = &clock_;
  const auto source = loader(options);
  source->record(2);
  for (int start = 0; start < 2; ++start) {
    source->start(0);
    while (source->ready() != 1) std::this_thread::yield();
    clock_.advance(10s);
    for (int i = 0; i < 2; ++i) source->release(source->next());
    source->park();
    const std::vector<InputRecord> records = source->records();
    EXPECT_LT(records.at(0).slot_wait, 1s);
    EXPECT_GE(records.at(1).slot_wait, 10s);
    EXPECT_LT(records.at(1).slot_wait, 11s);
    clock_.advance(100s);
  }
}

TEST_F(RecordingTest, KeepsTheFirstBatchesThatItHasRoomForAndForgetsThemAtAStart) {
  const auto source = loader(2);
  source->record(4);
  take_some(*source, 7);
  EXPECT_EQ(source->records().size(), 4U);
  take_some(*source, 1);
  EXPECT_EQ(source->records().size(), 1U);
}

TEST_F(RecordingTest, LeavesABatchThatIsStillOutWithoutItsRelease) {
  const auto source = loader(2);
  source->record(4);
  source->start(0);
  const HostBatch batch = source->next();
  EXPECT_EQ(source->records().at(0).released, std::nullopt);
  source->release(batch);
  source->park();
  EXPECT_NE(source->records().at(0).released, std::nullopt);
}

// Time spent on a file in vain is time spent decoding.
TEST_F(RecordingTest, CountsWhatABadFileCost) {
  using namespace std::chrono_literals;
  for (int image = 0; image < kImages; image += 3)
    folder_.write(fmt::format("class_{}/image_{:04}.jpg", image % 3, image), "no picture");
  const auto source = loader(0);
  source->record(11);
  take_some(*source, 11);
  Nanos read{}, decode{}, resize{};
  for (const InputRecord& record : source->records()) {
    read += record.read;
    decode += record.decode;
    resize += record.resize;
  }
  const std::int64_t replaced = source->counters().at("samples_replaced");
  EXPECT_GT(replaced, 0);
  EXPECT_EQ(resize, 11 * kBatch * 1ms);
  EXPECT_EQ(read, decode);
  EXPECT_GE(read, (11 * kBatch + replaced) * 1ms);
}

TEST_F(RecordingTest, AllocatesNothingInNext) {
  const auto source = loader(2);
  source->record(30);
  source->start(0);
  source->release(source->next());
  const std::int64_t before = allocations_of_this_thread();
  for (int i = 0; i < 20; ++i) source->release(source->next());
  EXPECT_EQ(allocations_of_this_thread() - before, 0);
  source->park();
}

}  // namespace
}  // namespace traceml
