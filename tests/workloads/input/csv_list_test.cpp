#include "workloads/input/csv_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tests/workloads/input/test_images.h"

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "path label line".
std::vector<std::string> listed(const CsvList& list) {
  std::vector<std::string> lines;
  for (const ListedSample& listed : list.samples) {
    lines.push_back(listed.sample.path + " " + std::to_string(listed.sample.label) + " " +
                    std::to_string(listed.line));
  }
  return lines;
}

std::string complaint(const std::string& text) {
  try {
    read_csv_list(text, "train.csv");
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(CsvList, TakesIntegersForLabels) {
  const CsvList list = read_csv_list("b/2.jpg,2\na/1.jpg,0\n", "train.csv");
  EXPECT_THAT(listed(list), ElementsAre("b/2.jpg 2 1", "a/1.jpg 0 2"));
  EXPECT_THAT(list.classes, ElementsAre("0", "1", "2")) << "label 1 has no image and its place";
}

TEST(CsvList, NumbersNamesOfClassesInTheirOrder) {
  const CsvList list =
      read_csv_list("1.jpg,waffles\n2.jpg,apple_pie\n3.jpg,waffles\n", "train.csv");
  EXPECT_THAT(listed(list), ElementsAre("1.jpg 1 1", "2.jpg 0 2", "3.jpg 1 3"));
  EXPECT_THAT(list.classes, ElementsAre("apple_pie", "waffles"));
}

TEST(CsvList, PassesOverItsHeadAndEmptyLines) {
  EXPECT_THAT(listed(read_csv_list("\xEF\xBB\xBFpath,label\r\n\r\n1.jpg,0\r\n\n2.jpg,1\r", "l")),
              ElementsAre("1.jpg 0 3", "2.jpg 1 5"));
  EXPECT_THAT(complaint("1.jpg,0\npath,label\n"), HasSubstr(":2 of the data set has the label"))
      << "a head stands first";
}

TEST(CsvList, ReadsQuotedFields) {
  const CsvList list = read_csv_list(
      "\"a, b.jpg\",\"fish, chips\"\n\"say "
      "\"\"hi\"\".jpg\",plain\n\"two\nlines.jpg\",plain\nx.jpg,plain",
      "train.csv");
  EXPECT_THAT(listed(list),
              ElementsAre("a, b.jpg 0 1", "say \"hi\".jpg 1 2", "two\nlines.jpg 1 3", "x.jpg 1 5"));
  EXPECT_THAT(list.classes, ElementsAre("fish, chips", "plain"));
}

TEST(CsvList, NamesTheLineOfEachFault) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"1.jpg,0\n2.jpg\n", ":2 of the data set has 1 field; it must be path,label"},
      {"1.jpg,0,9\n", ":1 of the data set has 3 fields; it must be path,label"},
      {"1.jpg,0\n\n,1\n", ":3 of the data set has the path \"\", which names no file"},
      {"1.jpg,\n", ":1 of the data set has no label"},
      {"1.jpg,0\n2.jpg,-1\n", ":2 of the data set has the label -1; labels run from 0 to 99999"},
      {"1.jpg,99999999999999999999\n",
       ":1 of the data set has the label 99999999999999999999; labels run from 0 to 99999"},
      {"1.jpg,0\n2.jpg,soup\n",
       ":2 of the data set has the label \"soup\", which is no integer, but labels are integers "
       "from line 1 on; use one kind"},
      {"1.jpg,soup\n\"2\n.jpg\",7\n",
       ":2 of the data set has the label \"7\", which is an integer, but labels are names from "
       "line 1 on; use one kind"},
      {"1.jpg,0\n2.jpg,0\n1.jpg,1\n", ":3 of the data set gives 1.jpg another label than line 1"},
      {"1.jpg,0\n\"2.jpg,0\n", ":2 of the data set has a quoted field that does not end"},
      {"\"1.jpg\"x,0\n", ":1 of the data set has text behind a quoted field"},
      {"say \"hi\".jpg,0\n",
       ":1 of the data set has a quote inside the field \"say \"hi\".jpg\"; quote the whole field "
       "and double the quotes in it"}};
  for (const auto& [text, sentence] : faults) EXPECT_EQ(complaint(text), "train.csv" + sentence);
  EXPECT_THAT(complaint(std::string("a\0b.jpg,0", 9)), HasSubstr("which names no file"));
  EXPECT_THAT(complaint(std::string(5000, 'a') + ",0"), HasSubstr("which names no file"));
}

TEST(CsvList, MayNameAPathTwiceWithOneLabel) {
  EXPECT_EQ(read_csv_list("1.jpg,0\n1.jpg,0\n", "train.csv").samples.size(), 2U);
}

}  // namespace
}  // namespace traceml
