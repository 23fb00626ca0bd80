#include "workloads/input/datagen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "tests/workloads/input/test_images.h"
#include "workloads/input/dataset.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/jpeg_decoder.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

DatagenOptions small_set(const fs::path& folder) {
  DatagenOptions options;
  options.folder = folder / "data";
  options.classes = 3;
  options.images = 20;
  options.test_images = 5;
  options.long_side = 48;
  options.seed = 11;
  return options;
}

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::map<std::string, std::string> tree(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = content(entry.path());
    }
  }
  return files;
}

TEST(Datagen, MakesATreeThatTheDataSetReaderTakesForFood) {
  TestFolder folder;
  const DatagenSummary summary = make_dataset(small_set(folder.path()));
  EXPECT_EQ(summary.images, 25);
  EXPECT_EQ(summary.classes, 3);
  EXPECT_GT(summary.decode_us, 0);
  const Dataset dataset = load_dataset(folder.path() / "data");
  EXPECT_EQ(dataset.samples.size(), 20U);
  EXPECT_EQ(dataset.classes.size(), 3U);
  int most = 0;
  std::map<int, int> images_of_class;
  for (const Sample& sample : dataset.samples)
    most = std::max(most, ++images_of_class[sample.label]);
  EXPECT_EQ(most, 7);  // 20 over 3 classes: 7, 7, 6
}

TEST(Datagen, ListsTheSameFilesAsJsonAndAsText) {
  TestFolder folder;
  make_dataset(small_set(folder.path()));
  const fs::path meta = folder.path() / "data/meta";
  std::size_t listed = 0;
  for (const std::string set : {"train", "test"}) {
    std::string lines;
    const nlohmann::json lists = nlohmann::json::parse(content(meta / (set + ".json")));
    for (const auto& [name, files] : lists.items()) {
      for (const auto& file : files) {
        ++listed;
        lines += file.get<std::string>() + "\n";
        EXPECT_THAT(file.get<std::string>(), HasSubstr(name + "/"));
        EXPECT_TRUE(fs::exists(folder.path() / "data/images" / (file.get<std::string>() + ".jpg")));
      }
    }
    EXPECT_EQ(content(meta / (set + ".txt")), lines);
  }
  EXPECT_EQ(listed, 25U);
  EXPECT_EQ(content(meta / "classes.txt"), "class_000\nclass_001\nclass_002\n");
  EXPECT_EQ(content(meta / "labels.txt"), "Class 000\nClass 001\nClass 002\n");
}

TEST(Datagen, MakesTheSameBytesWithAnyNumberOfThreads) {
  TestFolder one;
  TestFolder three;
  TestFolder other_seed;
  DatagenOptions options = small_set(one.path());
  options.threads = 1;
  make_dataset(options);
  options.folder = three.path() / "data";
  options.threads = 3;
  make_dataset(options);
  EXPECT_EQ(tree(one.path()), tree(three.path()));
  options.folder = other_seed.path() / "data";
  options.seed = 12;
  make_dataset(options);
  EXPECT_NE(tree(one.path()), tree(other_seed.path()));
}

TEST(Datagen, MakesEveryImageDifferent) {
  TestFolder folder;
  make_dataset(small_set(folder.path()));
  std::map<std::string, int> contents;
  for (const auto& [name, bytes] : tree(folder.path() / "data/images")) ++contents[bytes];
  EXPECT_EQ(contents.size(), 25U);
}

TEST(Datagen, MakesEverySideAsLongAsAsked) {
  for (const int long_side : {16, 97, 640}) {
    TestFolder folder;
    DatagenOptions options = small_set(folder.path());
    options.images = 3;
    options.test_images = 0;
    options.long_side = long_side;
    make_dataset(options);
    const Dataset dataset = load_dataset(options.folder);
    FileReader reader(options.folder);
    JpegDecoder decoder;
    for (const Sample& sample : dataset.samples) {
      const ImageSize size = decoder.read_header(reader.read(sample.path)).size;
      EXPECT_EQ(std::max(size.width, size.height), long_side);
      EXPECT_GE(std::min(size.width, size.height) * 2 + 1, long_side);
    }
  }
}

TEST(Datagen, MeetsTheFileSizesOfPhotographs) {
  TestFolder folder;
  DatagenOptions options = small_set(folder.path());
  options.images = 60;
  options.test_images = 0;
  options.long_side = 256;
  const DatagenSummary summary = make_dataset(options);
  // 1.72 * sqrt(512 / 256) bits per pixel; the mean of 60 has a standard error of 5 %.
  EXPECT_NEAR(summary.bits_per_pixel, 2.43, 0.4);
  EXPECT_GT(summary.deviation_bytes / summary.mean_bytes, 0.25);
  EXPECT_LT(summary.deviation_bytes / summary.mean_bytes, 0.60);
}

TEST(Datagen, RefusesWhatItCannotMake) {
  TestFolder folder;
  DatagenOptions options = small_set(folder.path());
  options.images = 2;
  EXPECT_THROW(make_dataset(options), UsageError);
  options = small_set(folder.path());
  options.classes = 0;
  EXPECT_THROW(make_dataset(options), UsageError);
  options = small_set(folder.path());
  options.long_side = 15;
  EXPECT_THROW(make_dataset(options), UsageError);
  folder.write("data/kept.txt", "mine");
  EXPECT_THROW(make_dataset(small_set(folder.path())), UsageError);
  EXPECT_EQ(content(folder.path() / "data/kept.txt"), "mine");
}

TEST(Datagen, SaysWhatItMade) {
  EXPECT_EQ(describe({.classes = 101,
                      .images = 1000,
                      .total_bytes = 49'500'000,
                      .mean_bytes = 49'500,
                      .deviation_bytes = 20'100,
                      .bits_per_pixel = 1.718,
                      .decode_us = 702.4}),
            "1000 images of 101 classes, 49.5 MB\n"
            "file size: mean 49.5 KB, standard deviation 20.1 KB, 1.72 bits per pixel\n"
            "decode, whole image, one core of this machine: 702 us per image\n");
}

}  // namespace
}  // namespace traceml
