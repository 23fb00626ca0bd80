#include "workloads/input/pin_copy_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "harness/core/error.h"
#include "harness/plan/loader_memory.h"
#include "tests/workloads/input/test_images.h"
#include "workloads/input/batch_loader.h"

namespace traceml {
namespace {

constexpr int kImages = 45;
constexpr int kBatch = 4;
constexpr int kSize = 20;

class PinCopyTest : public ::testing::Test {
 protected:
  PinCopyTest() { write_plain_tree(folder_, 3, kImages); }

  std::unique_ptr<BatchLoader> loader() {
    LoaderOptions options;
    options.workers = 2;
    options.image_size = kSize;
    options.batch_size = kBatch;
    options.seed = 7;
    const auto dataset = std::make_shared<const Dataset>(load_dataset(folder_.path()));
    const SampleOrder order(7, static_cast<std::int64_t>(dataset->samples.size()), kBatch, Rank{0},
                            1);
    return std::make_unique<BatchLoader>(options, order, dataset);
  }

  static std::vector<std::byte> bytes_of(const HostBatch& batch) {
    const auto* first = static_cast<const std::byte*>(batch.images);
    return {first, first + std::size_t{kBatch} * kSize * kSize * 3};
  }

  TestFolder folder_;
};

TEST_F(PinCopyTest, DeliversTheLoadersBatchesInItsOwnMemoryAgainAndAgain) {
  const auto plain = loader();
  PinCopySource source(loader());
  for (const std::int64_t first : {0, 5}) {
    plain->start(first);
    source.start(first);
    for (int i = 0; i < 20; ++i) {
      const HostBatch wanted = plain->next();
      const HostBatch batch = source.next();
      ASSERT_EQ(batch.sequence, wanted.sequence);
      EXPECT_EQ(bytes_of(batch), bytes_of(wanted));
      EXPECT_TRUE(std::equal(batch.labels, batch.labels + kBatch, wanted.labels));
      const auto regions = source.memory();
      EXPECT_EQ(regions.at(2 * static_cast<std::size_t>(batch.slot)).data(), batch.images);
      plain->release(wanted);
      source.release(batch);
    }
    plain->park();
    source.park();
  }
  EXPECT_GE(source.counters().at("batches_copied_to_pinned"), 40);
}

TEST_F(PinCopyTest, LetsTheConsumerHoldTwoBatchesWhileAThirdIsMade) {
  PinCopySource source(loader());
  ASSERT_EQ(source.memory().size(), 2U * kPinnedBatches);
  source.start(0);
  const HostBatch first = source.next();
  const HostBatch second = source.next();
  const std::vector<std::byte> before = bytes_of(first);
  const HostBatch third = source.next();
  EXPECT_EQ((std::set{first.slot, second.slot, third.slot}).size(), 3U);
  EXPECT_EQ(bytes_of(first), before) << "it was held";
  for (const HostBatch& batch : {first, second, third}) source.release(batch);
  source.park();
}

TEST_F(PinCopyTest, RecordsWhatTheConsumerTookAndNoBatchThatOnlyTheThreadDid) {
  PinCopySource source(loader());
  source.record(100);
  source.start(0);
  for (int i = 0; i < 6; ++i) source.release(source.next());
  source.park();
  const std::vector<InputRecord> records = source.records();
  ASSERT_EQ(records.size(), 6U);
  for (const InputRecord& record : records) {
    EXPECT_LE(record.asked, record.taken);
    EXPECT_GE(record.taken, record.ready) << "it had to be made and copied";
    EXPECT_TRUE(record.released);
  }
}

// A loader whose second batch cannot be made.
class BrokenLoader final : public BatchSource {
 public:
  void start(std::int64_t) override { taken_ = 0; }
  HostBatch next() override {
    if (taken_++ == 1) throw RunError("a.jpg cannot be decoded");
    return {images_.data(), labels_.data(), 1, 0, 0};
  }
  void release(const HostBatch&) override {}
  std::optional<std::int64_t> ready() const override { return 0; }
  void park() override { parked = true; }
  std::vector<std::span<std::byte>> memory() override {
    return {std::span(images_), std::as_writable_bytes(std::span(labels_))};
  }
  std::map<std::string, std::int64_t> counters() const override { return {}; }

  bool parked = false;

 private:
  std::vector<std::byte> images_ = std::vector<std::byte>(12);
  std::vector<std::int64_t> labels_ = {7};
  int taken_ = 0;
};

TEST(PinCopySource, HandsTheLoadersFaultOnAfterTheBatchesBeforeIt) {
  auto owned = std::make_unique<BrokenLoader>();
  const BrokenLoader& inner = *owned;
  PinCopySource source(std::move(owned));
  source.start(0);
  const HostBatch batch = source.next();
  EXPECT_EQ(batch.labels[0], 7);
  source.release(batch);
  EXPECT_THROW(source.next(), RunError);
  source.park();
  EXPECT_TRUE(inner.parked);
}

}  // namespace
}  // namespace traceml
