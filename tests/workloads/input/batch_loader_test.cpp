#include "workloads/input/batch_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <set>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "tests/workloads/input/allocation_count.h"
#include "tests/workloads/input/test_images.h"
#include "workloads/input/make_batch_source.h"
#include "workloads/input/normalise.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kImages = 45;
constexpr int kBatch = 4;
constexpr int kSize = 20;
constexpr std::size_t kRowBytes = kSize * kSize * 3;

std::string image_name(int image) {
  return fmt::format("class_{}/image_{:04}.jpg", image % 3, image);
}

// One batch, copied out of its slot.
struct Copy {
  std::int64_t sequence = 0;
  std::vector<std::uint8_t> images;
  std::vector<std::int64_t> labels;
  friend bool operator==(const Copy&, const Copy&) = default;
};

std::vector<std::string> rows_of(const std::vector<Copy>& copies) {
  std::vector<std::string> rows;
  for (const Copy& copy : copies) {
    for (auto row = copy.images.begin(); row != copy.images.end(); row += kRowBytes) {
      rows.emplace_back(row, row + kRowBytes);
    }
  }
  return rows;
}

class BatchLoaderTest : public ::testing::Test {
 protected:
  BatchLoaderTest() {
    write_plain_tree(folder_, 3, kImages);
    input_.workers = 2;
    workload_.classes = 3;
    workload_.batch_size = kBatch;
    workload_.image_size = kSize;
  }

  std::unique_ptr<BatchSource> make(Rank rank = {0}, int world_size = 1) const {
    return make_batch_source(input_, workload_, 7, rank, world_size,
                             std::make_shared<const Dataset>(load_dataset(folder_.path())));
  }

  Copy take(BatchSource& source) const {
    const HostBatch batch = source.next();
    const std::size_t bytes =
        kBatch * kRowBytes * (input_.dtype == SampleType::kFloat32 ? sizeof(float) : 1);
    const auto* images = static_cast<const std::uint8_t*>(batch.images);
    Copy copy{batch.sequence, {images, images + bytes}, {batch.labels, batch.labels + batch.count}};
    source.release(batch);
    return copy;
  }

  std::vector<Copy> take(BatchSource& source, std::int64_t first, int count) const {
    source.start(first);
    std::vector<Copy> copies;
    for (int i = 0; i < count; ++i) copies.push_back(take(source));
    source.park();
    return copies;
  }

  // The sentence of the first error of `batches` batches; empty if there was none.
  std::string complaint(BatchSource& source, int batches = 11) const {
    source.start(0);
    std::string sentence;
    try {
      for (int i = 0; i < batches; ++i) take(source);
    } catch (const RunError& error) {
      sentence = error.what();
    }
    source.park();
    return sentence;
  }

  TestFolder folder_;
  InputConfig input_;
  WorkloadConfig workload_;
};

TEST_F(BatchLoaderTest, GivesTheSameBytesWithAnyNumberOfWorkersAndEitherScheduling) {
  input_.workers = 0;
  const std::vector<Copy> expected = take(*make(), 0, 25);
  for (const Scheduling scheduling : {Scheduling::kPerSample, Scheduling::kPerBatch}) {
    for (const int workers : {1, 2, 5}) {
      input_.workers = workers;
      input_.scheduling = scheduling;
      EXPECT_EQ(take(*make(), 0, 25), expected) << workers;
    }
  }
}

TEST_F(BatchLoaderTest, NumbersBatchesAndCrossesEpochsWithoutRepeatingThem) {
  const std::vector<Copy> copies = take(*make(), 0, 22);  // two epochs of 11
  for (int i = 0; i < 22; ++i) EXPECT_EQ(copies[static_cast<std::size_t>(i)].sequence, i);
  // Every sample comes with another crop in the second epoch.
  const std::vector<std::string> rows = rows_of(copies);
  EXPECT_EQ(std::set<std::string>(rows.begin(), rows.end()).size(), 22U * kBatch);
}

TEST_F(BatchLoaderTest, DeliversEachSampleAtMostOnceAnEpochOverAllRanks) {
  std::multiset<std::int64_t> labels;
  for (int rank = 0; rank < 2; ++rank) {
    for (const Copy& copy : take(*make(Rank{rank}, 2), 0, 5)) {
      labels.insert(copy.labels.begin(), copy.labels.end());
    }
  }
  EXPECT_EQ(labels.size(), 40U);
  for (const std::int64_t label : {0, 1, 2}) EXPECT_LE(labels.count(label), 15U);
}

TEST_F(BatchLoaderTest, RepeatsTheSequenceFromAnyBatchAfterAPark) {
  const std::unique_ptr<BatchSource> source = make();
  const std::vector<Copy> whole = take(*source, 0, 16);
  for (const std::int64_t first : {0, 3, 10, 12}) {
    const std::vector<Copy> again = take(*source, first, 4);
    EXPECT_TRUE(std::equal(again.begin(), again.end(), whole.begin() + first)) << first;
  }
}

TEST_F(BatchLoaderTest, ParksWithoutHavingDeliveredAnything) {
  const std::unique_ptr<BatchSource> source = make();
  for (int i = 0; i < 20; ++i) {
    source->start(i);
    source->park();
  }
  EXPECT_EQ(take(*source, 2, 1), take(*make(), 2, 1));
}

TEST_F(BatchLoaderTest, AnswersWithAnErrorWhileParked) {
  const std::unique_ptr<BatchSource> source = make();
  EXPECT_THROW(source->next(), RunError);
}

TEST_F(BatchLoaderTest, HoldsNoMoreBatchesReadyThanThePrefetch) {
  input_.prefetch = 3;
  const std::unique_ptr<BatchSource> source = make();
  source->start(0);
  while (source->ready() < 3) std::this_thread::yield();
  EXPECT_EQ(source->ready(), 3);
  const HostBatch first = source->next();
  const HostBatch second = source->next();
  while (source->ready() < 3) std::this_thread::yield();  // although two slots are out
  EXPECT_EQ(source->ready(), 3);
  source->release(second);
  source->release(first);
  source->park();
  EXPECT_EQ(source->ready(), 0);
}

TEST_F(BatchLoaderTest, HasNoQueueWithoutWorkers) {
  input_.workers = 0;
  const std::unique_ptr<BatchSource> source = make();
  source->start(0);
  EXPECT_EQ(source->ready(), std::nullopt);
  take(*source);
  EXPECT_EQ(source->ready(), std::nullopt);
}

TEST_F(BatchLoaderTest, LeavesASlotAloneUntilItIsReleased) {
  const std::vector<Copy> expected = take(*make(), 0, 2);
  const std::unique_ptr<BatchSource> source = make();
  source->start(0);
  const HostBatch first = source->next();
  const HostBatch second = source->next();
  while (source->ready() < 2) std::this_thread::yield();
  for (const HostBatch* held : {&first, &second}) {
    const auto* images = static_cast<const std::uint8_t*>(held->images);
    EXPECT_EQ(std::vector<std::uint8_t>(images, images + kBatch * kRowBytes),
              expected[static_cast<std::size_t>(held->sequence)].images);
    source->release(*held);
  }
  source->park();
}

TEST_F(BatchLoaderTest, SaysThatEverySlotIsHeldInsteadOfWaitingForItself) {
  input_.workers = 0;
  const std::unique_ptr<BatchSource> source = make();
  source->start(0);
  std::vector<HostBatch> held;
  EXPECT_THROW(for (int i = 0; i < 20; ++i) held.push_back(source->next()), RunError);
  EXPECT_EQ(held.size(), 3U);
  source->release(held.front());
  EXPECT_EQ(source->next().sequence, 3);
}

TEST_F(BatchLoaderTest, AllocatesNothingForAnySampleOnceItRuns) {
  for (const int workers : {0, 1, 3}) {
    input_.workers = workers;
    const std::unique_ptr<BatchSource> source = make();
    source->start(0);
    for (int i = 0; i < 11; ++i) source->release(source->next());  // all threads have begun
    const std::int64_t before = allocations_of_this_process();
    for (int i = 0; i < 750; ++i) source->release(source->next());
    EXPECT_EQ(allocations_of_this_process() - before, 0) << "3,000 samples, workers " << workers;
    source->park();
  }
}

TEST_F(BatchLoaderTest, NormalisesTheSamePixelsForFloat32) {
  const Copy bytes = take(*make(), 5, 1).front();
  input_.dtype = SampleType::kFloat32;
  const Copy floats = take(*make(), 5, 1).front();
  EXPECT_EQ(floats.labels, bytes.labels);
  const float mean[3] = {0.485F, 0.456F, 0.406F};
  const float deviation[3] = {0.229F, 0.224F, 0.225F};
  for (std::size_t i = 0; i < bytes.images.size(); ++i) {
    float value = 0;
    std::memcpy(&value, &floats.images[i * sizeof(float)], sizeof(float));
    const float expected =
        (static_cast<float>(bytes.images[i]) / 255.0F - mean[i % 3]) / deviation[i % 3];
    ASSERT_EQ(value, expected) << i;
  }
}

TEST_F(BatchLoaderTest, StopsAtABadFileAndNamesItRelativeToTheDataSet) {
  folder_.write("class_1/image_0004.jpg", "no picture");
  for (const int workers : {0, 2}) {
    input_.workers = workers;
    EXPECT_EQ(complaint(*make()),
              "class_1/image_0004.jpg is not a JPEG file; repair or remove it, or set "
              "input.on_error: replace");
  }
}

TEST_F(BatchLoaderTest, StopsAtTheSameFileWithAnyNumberOfWorkers) {
  for (const int image : {4, 13, 22, 31}) {
    folder_.write(image_name(image), "");
  }
  input_.workers = 0;
  const std::string expected = complaint(*make());
  EXPECT_THAT(expected, HasSubstr("is empty"));
  for (const int workers : {1, 2, 5}) {
    input_.workers = workers;
    EXPECT_EQ(complaint(*make()), expected);
  }
}

TEST_F(BatchLoaderTest, DoesNotWaitForAPipeInThePlaceOfAnImage) {
  std::filesystem::remove(folder_.path() / "class_1/image_0004.jpg");
  ASSERT_EQ(mkfifo((folder_.path() / "class_1/image_0004.jpg").c_str(), 0600), 0);
  EXPECT_THAT(complaint(*make()), StartsWith("class_1/image_0004.jpg is not a regular file; "));
}

TEST_F(BatchLoaderTest, GoesOnBehindABatchThatFailed) {
  const std::vector<Copy> expected = take(*make(), 0, 11);
  folder_.write("class_1/image_0004.jpg", "no picture");
  const std::unique_ptr<BatchSource> source = make();
  source->start(0);
  int failed = 0;
  for (int i = 0; i < 11; ++i) {
    try {
      EXPECT_EQ(take(*source), expected[static_cast<std::size_t>(i)]);
    } catch (const RunError&) {
      ++failed;
    }
  }
  EXPECT_LE(failed, 1);
  source->park();
}

TEST_F(BatchLoaderTest, ReplacesBadSamplesAndCountsThemWithAnyNumberOfWorkers) {
  input_.on_error = OnError::kReplace;
  const std::vector<Copy> good = take(*make(), 0, 11);
  const std::vector<std::uint8_t> whole = make_jpeg({.width = 160, .height = 120});
  folder_.write("class_1/image_0004.jpg", "no picture");
  folder_.write("class_1/image_0007.jpg", std::span(whole).first(whole.size() / 2));
  folder_.write("class_0/image_0030.jpg", "");
  folder_.write("class_2/image_0044.jpg",
                make_jpeg({.colour = TestColour::kCmyk, .luma_across = 1, .luma_down = 1}));
  std::vector<std::vector<Copy>> runs;
  for (const int workers : {0, 1, 5}) {
    input_.workers = workers;
    const std::unique_ptr<BatchSource> source = make();
    runs.push_back(take(*source, 0, 11));
    const std::int64_t replaced = source->counters().at("samples_replaced");
    EXPECT_GE(replaced, 3);  // one of the 45 samples is in no batch
    EXPECT_LE(replaced, 8);
    EXPECT_EQ(source->counters().at("samples_delivered"), 44);
    for (const std::string& sentence : source->replaced_files()) {
      EXPECT_THAT(sentence, StartsWith("class_"));
    }
    EXPECT_GE(source->replaced_files().size(), 3U);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);

  // A bad sample's place holds the next good one of the epoch, as it is in its own place.
  const std::vector<std::string> rows = rows_of(runs[0]);
  const std::vector<std::string> good_rows = rows_of(good);
  int replaced = 0;
  std::optional<std::string> next_good;  // unknown behind the last delivered row
  for (std::size_t i = rows.size(); i-- > 0;) {
    if (rows[i] == good_rows[i]) {
      next_good = rows[i];
    } else {
      ++replaced;
      EXPECT_EQ(rows[i], next_good.value_or(rows[i])) << i;
    }
  }
  EXPECT_GE(replaced, 3);
}

TEST_F(BatchLoaderTest, GivesUpReplacingWhereNoFileIsGood) {
  for (int i = 0; i < kImages; ++i) folder_.write(image_name(i), "");
  input_.on_error = OnError::kReplace;
  EXPECT_THAT(complaint(*make()), StartsWith("101 samples in a row cannot be decoded"));
}

TEST_F(BatchLoaderTest, CountsGreySamplesAndDeliversThem) {
  for (int i = 0; i < kImages; ++i) {
    folder_.write(image_name(i),
                  make_jpeg({.colour = TestColour::kGrey, .luma_across = 1, .luma_down = 1}));
  }
  const std::unique_ptr<BatchSource> source = make();
  const Copy copy = take(*source, 0, 3).front();
  EXPECT_EQ(source->counters().at("samples_grey"), 12);
  for (std::size_t i = 0; i < copy.images.size(); i += 3) {
    ASSERT_EQ(copy.images[i], copy.images[i + 2]);
  }
}

TEST_F(BatchLoaderTest, StopsWhenTheDataSetDisappearsEvenIfItMayReplace) {
  for (const OnError on_error : {OnError::kStop, OnError::kReplace}) {
    TestFolder other;
    write_plain_tree(other, 3, kImages);
    input_.on_error = on_error;
    const std::unique_ptr<BatchSource> source =
        make_batch_source(input_, workload_, 7, Rank{0}, 1,
                          std::make_shared<const Dataset>(load_dataset(other.path())));
    source->start(0);
    take(*source);
    std::filesystem::remove_all(other.path());
    std::string sentence;
    try {
      for (int i = 0; i < 11; ++i) take(*source);
    } catch (const RunError& error) {
      sentence = error.what();
    }
    EXPECT_THAT(sentence, StartsWith("cannot read class_"));
    EXPECT_THAT(sentence, HasSubstr("No such file or directory"));
    EXPECT_EQ(sentence.find(other.path().string()), std::string::npos);
    source->park();
  }
}

TEST_F(BatchLoaderTest, RefusesSettingsThatCannotWork) {
  workload_.classes = 2;
  EXPECT_THROW(make(), UsageError);
  workload_.classes = 3;
  workload_.batch_size = kImages + 1;
  EXPECT_THROW(make(), UsageError);
  workload_.batch_size = kBatch;
  EXPECT_THROW(make(Rank{0}, 12), UsageError);  // 48 images for one step
  input_.prefetch = 0;
  EXPECT_THROW(make(), UsageError);
  input_.workers = 0;
  EXPECT_NO_THROW(make());
}

}  // namespace
}  // namespace traceml
