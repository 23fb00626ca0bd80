#include "workloads/input/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/core/error.h"
#include "tests/workloads/input/test_images.h"

namespace traceml {
namespace {

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

}  // namespace
}  // namespace traceml
