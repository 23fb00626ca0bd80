#include "workloads/input/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <functional>

#include "harness/core/error.h"
#include "tests/workloads/input/test_images.h"
#include "workloads/input/file_reader.h"

namespace traceml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> listed(const Dataset& dataset) {
  std::vector<std::string> lines;
  for (const Sample& sample : dataset.samples) {
    lines.push_back(sample.path + " " + std::to_string(sample.label));
  }
  return lines;
}

template <class Kind>
std::string sentence_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Kind& error) {
    return error.what();
  }
  return "";
}

std::string complaint(const std::function<void()>& action) {
  return sentence_of<RunError>(action);
}

std::string usage_complaint(const std::function<void()>& action) {
  return sentence_of<UsageError>(action);
}

void write_food_images(const TestFolder& folder) {
  for (const char* name : {"waffles/10", "waffles/9", "apple_pie/7", "apple_pie/8"}) {
    folder.write(std::string("images/") + name + ".jpg", "x");
  }
}

TEST(Dataset, ReadsFoodTreesFromTheJsonList) {
  TestFolder folder;
  write_food_images(folder);
  folder.write("meta/train.json",
               R"({"waffles": ["waffles/9", "waffles/10"], "apple_pie": ["apple_pie/7"]})");
  folder.write("meta/train.txt", "apple_pie/8\n");  // the JSON list comes first
  const Dataset dataset = load_dataset(folder.path());
  EXPECT_THAT(dataset.classes, ElementsAre("apple_pie", "waffles"));
  EXPECT_THAT(listed(dataset), ElementsAre("images/apple_pie/7.jpg 0", "images/waffles/10.jpg 1",
                                           "images/waffles/9.jpg 1"));
}

TEST(Dataset, ReadsFoodTreesFromTheTextListAlike) {
  TestFolder folder;
  write_food_images(folder);
  folder.write("meta/train.txt", "waffles/9\r\nwaffles/10\n\napple_pie/7\n");
  const Dataset dataset = load_dataset(folder.path());
  EXPECT_THAT(dataset.classes, ElementsAre("apple_pie", "waffles"));
  EXPECT_THAT(listed(dataset), ElementsAre("images/apple_pie/7.jpg 0", "images/waffles/10.jpg 1",
                                           "images/waffles/9.jpg 1"));
}

TEST(Dataset, ReadsPlainTreesWithAFolderForEachClass) {
  TestFolder folder;
  folder.write("dog/b.jpg", "x");
  folder.write("dog/a.JPEG", "x");
  folder.write("dog/notes.txt", "x");
  folder.write("cat/c.jpeg", "x");
  folder.write(".cache/d.jpg", "x");
  folder.write("README", "x");
  const Dataset dataset = load_dataset(folder.path());
  EXPECT_THAT(dataset.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(listed(dataset), ElementsAre("cat/c.jpeg 0", "dog/a.JPEG 1", "dog/b.jpg 1"));
}

TEST(Dataset, ReadsTreesOfAnyDepthBelowTheFolderOfAClass) {
  TestFolder folder;
  folder.write("dog/b.jpg", "x");
  folder.write("dog/2019/may/a.jpg", "x");
  folder.write("dog/2019/.thumbs/a.jpg", "x");
  folder.write("cat/left/c.jpg", "x");
  folder.write("elsewhere.d/e.jpg", "x");
  std::filesystem::create_directory_symlink("../elsewhere.d", folder.path() / "cat/linked");
  const Dataset dataset = load_dataset(folder.path());
  EXPECT_THAT(dataset.classes, ElementsAre("cat", "dog", "elsewhere.d"));
  EXPECT_THAT(listed(dataset),
              ElementsAre("cat/left/c.jpg 0", "cat/linked/e.jpg 0", "dog/2019/may/a.jpg 1",
                          "dog/b.jpg 1", "elsewhere.d/e.jpg 2"));
}

TEST(Dataset, NamesATreeThatLeadsBackIntoItself) {
  TestFolder folder;
  folder.write("cat/c.jpg", "x");
  std::filesystem::create_directory_symlink(".", folder.path() / "cat/again");
  EXPECT_THAT(complaint([&] { load_dataset(folder.path()); }),
              HasSubstr("is nested deeper than 32 folders; does a link in it lead back?"));
}

TEST(Dataset, ReadsAListWithPathsFromItsOwnFolder) {
  TestFolder folder;
  folder.write("images/b.jpg", std::string(10, 'x'));
  folder.write("lists/a.jpg", std::string(20, 'x'));
  folder.write("lists/train.csv", "../images/b.jpg,soup\na.jpg,pie\n" +
                                      (folder.path() / "images/b.jpg").string() + ",soup\n");
  const Dataset dataset = load_dataset(folder.path() / "lists/train.csv");
  EXPECT_THAT(dataset.classes, ElementsAre("pie", "soup"));
  ASSERT_EQ(dataset.samples.size(), 3U);
  EXPECT_THAT(listed(dataset), Contains("../images/b.jpg 1"));
  EXPECT_THAT(listed(dataset), Contains("a.jpg 0"));
  EXPECT_EQ(warm_cache(dataset), 40) << "every file is read where the list says";
}

TEST(Dataset, NamesTheLineOfAListThatNamesNoFile) {
  TestFolder folder;
  folder.write("a.jpg", "x");
  folder.write("train.csv", "path,label\na.jpg,0\nnowhere/b.jpg,1\n");
  EXPECT_EQ(complaint([&] { load_dataset(folder.path() / "train.csv"); }),
            "train.csv:3 of the data set names nowhere/b.jpg, but there is no such file");
  folder.write("train.csv", "path,label\n");
  EXPECT_THAT(usage_complaint([&] { load_dataset(folder.path() / "train.csv"); }),
              HasSubstr("train.csv lists no images; it needs a line path,label for each"));
}

TEST(Dataset, NamesAMissingFolder) {
  EXPECT_THAT(usage_complaint([] { load_dataset("/nowhere/food"); }),
              HasSubstr("there is no data set folder /nowhere/food; name a folder"));
}

TEST(Dataset, NamesAnEmptyFolder) {
  TestFolder folder;
  EXPECT_THAT(usage_complaint([&] { load_dataset(folder.path()); }),
              HasSubstr("holds no images; it needs images/CLASS/ID.jpg"));
}

TEST(Dataset, NamesAClassFolderWithoutImages) {
  TestFolder folder;
  folder.write("cat/c.png", "x");
  EXPECT_THAT(complaint([&] { load_dataset(folder.path()); }),
              HasSubstr("cat/ is taken for a class, but it holds no .jpg or .jpeg file"));
}

TEST(Dataset, NamesAListedFileThatIsNotThere) {
  TestFolder folder;
  write_food_images(folder);
  folder.write("meta/train.json", R"({"waffles": ["waffles/9", "waffles/11"]})");
  EXPECT_THAT(complaint([&] { load_dataset(folder.path()); }),
              HasSubstr("names images/waffles/11.jpg, but there is no such file"));
  folder.write("meta/train.json", R"({"soup": ["soup/1"]})");
  EXPECT_THAT(complaint([&] { load_dataset(folder.path()); }),
              HasSubstr("names images/soup/1.jpg, but there is no such file"));
}

TEST(Dataset, NamesAListThatItCannotRead) {
  TestFolder folder;
  write_food_images(folder);
  const std::string form = R"({"CLASS": ["CLASS/ID", ...], ...})";
  const std::vector<std::pair<std::string, std::string>> lists = {
      {"{\n", ":2:1 of the data set is not JSON: it ends too early"},
      {"{\n  \"waffles\": 9x}", ":2:15 of the data set is not JSON at this place"},
      {"{\"waffles\": [\"\xff\"]}", ":1:15 of the data set is not JSON at this place"},
      {"[1, 2]", " of the data set is array; it must be " + form},
      {R"({"waffles": [9]})",
       " of the data set has number in the class \"waffles\"; it must be " + form},
      {R"({"waffles": "waffles/9"})",
       " of the data set has string for the class \"waffles\"; it must be " + form},
      {"{\"waffles\": " + std::string(100'000, '['),
       " of the data set is nested deeper than " + form},
      {R"({"waffles": [1e999]})", " of the data set holds a number that is too large to read"},
      {R"({"waffles": ["9"]})", " of the data set has the entry \"9\", which is not CLASS/ID"},
      {R"({"waffles": ["../9"]})",
       " of the data set has the entry \"../9\", which is not CLASS/ID"},
      {R"({"..": []})", " of the data set has the class \"..\", which names no folder"}};
  for (const auto& [list, sentence] : lists) {
    folder.write("meta/train.json", list);
    EXPECT_EQ(complaint([&] { load_dataset(folder.path()); }), "meta/train.json" + sentence);
  }
  std::filesystem::remove(folder.path() / "meta/train.json");
  folder.write("meta/train.txt", "waffles/9\n\nwaffles\n");
  EXPECT_EQ(complaint([&] { load_dataset(folder.path()); }),
            "meta/train.txt:3 of the data set has the entry \"waffles\", which is not CLASS/ID");
}

TEST(Dataset, WarmsTheCacheByReadingEveryByte) {
  TestFolder folder;
  folder.write("a/1.jpg", std::string(70000, 'x'));
  folder.write("b/2.jpg", std::string(123, 'x'));
  const Dataset dataset = load_dataset(folder.path());
  std::size_t files = 0;
  EXPECT_EQ(warm_cache(dataset, [&files] { ++files; }), 70123);
  EXPECT_EQ(files, dataset.samples.size());
  std::filesystem::remove(folder.path() / "b/2.jpg");
  EXPECT_EQ(complaint([&] { warm_cache(dataset); }),
            "cannot read b/2.jpg of the data set: No such file or directory");
}

// Blocks that this thread had to wait for, from storage.
std::int64_t blocks_read() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_inblock;
}

TEST(Dataset, ReadsColdFilesFromStorageAndLeavesThemWarm) {
  TestFolder folder;
  folder.write("a/1.jpg", std::string(70000, 'x'));
  const Dataset dataset = load_dataset(folder.path());
  FileReader cold(folder.path(), Cache::kCold);
  if (cold.stays_in_cache("a/1.jpg") != false) {
    GTEST_SKIP() << "the file system of " << folder.path() << " keeps files in memory";
  }
  EXPECT_TRUE(prepare_cold_reading(dataset));
  FileReader warm(folder.path());
  for (int i = 0; i < 2; ++i) {
    const std::int64_t before = blocks_read();
    EXPECT_EQ(cold.read("a/1.jpg").size(), 70000U);
    const std::int64_t between = blocks_read();
    EXPECT_EQ(warm.read("a/1.jpg").size(), 70000U);
    EXPECT_GT(between - before, 0) << "cold";
    EXPECT_EQ(blocks_read() - between, 0) << "warm";
  }
}

TEST(Dataset, RefusesToReadColdWhatStaysInMemory) {
  struct statfs shared {};
  if (statfs("/dev/shm", &shared) != 0 || shared.f_type != TMPFS_MAGIC) {
    GTEST_SKIP() << "no tmpfs at /dev/shm";
  }
  TestFolder folder("/dev/shm");
  folder.write("a/1.jpg", "x");
  const Dataset dataset = load_dataset(folder.path());
  EXPECT_THAT(complaint([&] { prepare_cold_reading(dataset); }),
              HasSubstr("stay in memory when they are dropped from the page cache"));
}

TEST(FileReader, ReadsIntoTheRoomThatItIsGiven) {
  struct Room final : FileRoom {
    std::uint8_t* room_for(std::size_t size) override {
      bytes.assign(size + 2, 0);
      return bytes.data() + 1;
    }
    std::vector<std::uint8_t> bytes;
  };
  const TestFolder folder;
  folder.write("a.jpg", std::string("abc"));
  FileReader reader(folder.path());
  Room room;
  const auto read = reader.read("a.jpg", room);
  EXPECT_EQ(read.data(), room.bytes.data() + 1);
  EXPECT_EQ(read.size(), 3U);
  EXPECT_EQ(room.bytes, (std::vector<std::uint8_t>{0, 'a', 'b', 'c', 0}));
}

}  // namespace
}  // namespace traceml
