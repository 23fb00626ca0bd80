#include "workloads/input/sample_pipeline.h"

#include <gtest/gtest.h>

#include "tests/workloads/input/allocation_count.h"
#include "tests/workloads/input/test_images.h"

namespace traceml {
namespace {

TEST(SamplePipeline, AllocatesNothingFromItsFirstSampleOnForImagesLikeThoseOfFood101) {
  TestFolder folder;
  folder.write("a/wide.jpg", make_jpeg({.width = 512, .height = 384}));
  folder.write("b/square.jpg", make_jpeg({.width = 512, .height = 512}));
  const auto dataset = std::make_shared<const Dataset>(load_dataset(folder.path()));
  for (const int size : {32, 224}) {
    for (const SampleType type : {SampleType::kUint8, SampleType::kFloat32}) {
      SamplePipeline pipeline(dataset, size, type);
      std::vector<std::uint8_t> row(bytes_per_sample(size, type));
      const std::int64_t before = allocations_of_this_thread();
      StageWatch no_watch;
      for (int i = 0; i < 40; ++i) {
        pipeline.make(i % 2, sample_random(1, i, i % 2), row.data(), no_watch);
      }
      EXPECT_EQ(allocations_of_this_thread() - before, 0) << size;
    }
  }
}

TEST(SamplePipeline, GivesTheSameBytesColdAsWarm) {
  TestFolder folder;
  folder.write("a/1.jpg", make_jpeg({.width = 160, .height = 120}));
  const auto dataset = std::make_shared<const Dataset>(load_dataset(folder.path()));
  std::vector<std::vector<std::uint8_t>> rows;
  for (const Cache cache : {Cache::kWarm, Cache::kCold}) {
    rows.emplace_back(bytes_per_sample(32, SampleType::kUint8));
    StageWatch no_watch;
    SamplePipeline(dataset, 32, SampleType::kUint8, cache)
        .make(0, Random(3), rows.back().data(), no_watch);
  }
  EXPECT_EQ(rows[0], rows[1]);
}

}  // namespace
}  // namespace traceml
