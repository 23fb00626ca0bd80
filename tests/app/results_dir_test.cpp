#include "harness/app/results_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kTime = "2026-11-29T18:15:00Z";
constexpr const char* kDefault = "results/food-20261129T181500";

// Default folders lie in the working folder.
class ResultsDir : public ::testing::Test {
 protected:
  void SetUp() override { fs::current_path(folder_.path()); }
  void TearDown() override { fs::current_path(before_); }

  static std::string latest() { return fs::read_symlink("results/latest").string(); }

  traceml::testing::TemporaryFolder folder_;
  fs::path before_ = fs::current_path();
};

std::string sentence_of(const std::string& wanted) {
  try {
    make_results_dir(wanted, "food", kTime);
  } catch (const Error& error) {
    return std::to_string(value_of(error.code())) + ": " + error.what();
  }
  return "made";
}

TEST_F(ResultsDir, IsNamedAfterRunAndTimeAndHoldsRaw) {
  EXPECT_EQ(make_results_dir("", "food", kTime), kDefault);
  EXPECT_TRUE(fs::is_directory(std::string(kDefault) + "/raw"));
  EXPECT_EQ(latest(), "food-20261129T181500");
}

TEST_F(ResultsDir, IsTakenBackWithAllThatARunPutIntoRaw) {
  const std::string dir = make_results_dir("out", "food", kTime);
  folder_.write("out/raw/run_info.json", "{}");
  discard_results_dir(dir, false);
  EXPECT_FALSE(fs::exists("out"));
}

TEST_F(ResultsDir, StaysEmptyWhereItWasThereBefore) {
  fs::create_directory("out");
  discard_results_dir(make_results_dir("out", "food", kTime), true);
  EXPECT_TRUE(fs::is_empty("out"));
}

TEST_F(ResultsDir, IsKeptWhereSomebodyPutSomethingBesideRaw) {
  const std::string dir = make_results_dir("out", "food", kTime);
  folder_.write("out/notes.txt", "mine");
  discard_results_dir(dir, false);
  EXPECT_EQ(folder_.read("out/notes.txt"), "mine");
}

TEST_F(ResultsDir, GivesLatestBackToTheNewestThatRemains) {
  make_results_dir("", "food", kTime);
  discard_results_dir(make_results_dir("", "food", kTime), false);
  EXPECT_EQ(latest(), "food-20261129T181500");
  discard_results_dir(kDefault, false);
  EXPECT_FALSE(fs::is_symlink("results/latest"));
}

TEST_F(ResultsDir, CountsUpWhereTheNameIsTakenAndMovesLatest) {
  make_results_dir("", "food", kTime);
  folder_.write(std::string(kDefault) + "/run.json", "kept");
  EXPECT_EQ(make_results_dir("", "food", kTime), std::string(kDefault) + "-2");
  EXPECT_EQ(make_results_dir("", "food", kTime), std::string(kDefault) + "-3");
  EXPECT_EQ(latest(), "food-20261129T181500-3");
  EXPECT_EQ(folder_.read(std::string(kDefault) + "/run.json"), "kept");
  EXPECT_TRUE(fs::is_empty(std::string(kDefault) + "-2/raw"));
}

TEST_F(ResultsDir, CountsUpPastAnEmptyFolderAFileAndADanglingLink) {
  fs::create_directories(kDefault);
  folder_.write(std::string(kDefault) + "-2", "a file");
  fs::create_symlink("nowhere", std::string(kDefault) + "-3");
  EXPECT_EQ(make_results_dir("", "food", kTime), std::string(kDefault) + "-4");
  EXPECT_FALSE(fs::exists("results/nowhere"));
}

TEST_F(ResultsDir, IsAnotherOneForEachOfManyRunsAtOnce) {
  std::vector<std::string> made(8);
  std::vector<std::thread> runs;
  for (std::string& dir : made)
    runs.emplace_back([&dir] { dir = make_results_dir("", "food", kTime); });
  for (std::thread& run : runs) run.join();
  EXPECT_EQ(std::set<std::string>(made.begin(), made.end()).size(), made.size());
}

TEST_F(ResultsDir, LeavesNothingElseBehind) {
  make_results_dir("", "food", kTime);
  make_results_dir("", "food", kTime);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator("results"))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("food-20261129T181500",
                                                     "food-20261129T181500-2", "latest"));
}

TEST_F(ResultsDir, KeepsAFolderOfTheUserThatIsCalledLatest) {
  fs::create_directories("results/latest/mine");
  make_results_dir("", "food", kTime);
  EXPECT_TRUE(fs::is_directory("results/latest/mine"));
  EXPECT_FALSE(fs::is_symlink("results/latest"));
}

TEST_F(ResultsDir, KeepsAFileOfTheUserThatIsCalledLatest) {
  fs::create_directory("results");
  folder_.write("results/latest", "mine");
  make_results_dir("", "food", kTime);
  EXPECT_EQ(folder_.read("results/latest"), "mine");
}

TEST_F(ResultsDir, ReplacesALatestThatPointsNowhere) {
  fs::create_directories("results");
  fs::create_symlink("gone", "results/latest");
  make_results_dir("", "food", kTime);
  EXPECT_EQ(latest(), "food-20261129T181500");
}

TEST_F(ResultsDir, StaysInsideResultsWhateverTheRunIsCalled) {
  const std::vector<std::string> hostile = {
      "../../escape", "/etc/passwd", "..",          ".",  "",       ".hidden",
      "a b;rm -rf",   "a\nb",        "caf\xc3\xa9", "-n", "latest", "$HOME"};
  for (const std::string& name : hostile) {
    SCOPED_TRACE(name);
    const std::string dir = make_results_dir("", name, kTime);
    EXPECT_THAT(dir, MatchesRegex("results/[A-Za-z0-9_-][A-Za-z0-9._-]*-20261129T181500(-[0-9])?"));
    EXPECT_TRUE(fs::is_directory(dir + "/raw"));
  }
  const auto entries = fs::directory_iterator(".");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "only results/";
}

TEST_F(ResultsDir, AskedForIsMadeWithItsParentsAndMovesNoLink) {
  EXPECT_EQ(make_results_dir("a/b/c", "food", kTime), "a/b/c");
  EXPECT_TRUE(fs::is_directory("a/b/c/raw"));
  EXPECT_EQ(make_results_dir("slash/", "food", kTime), "slash/");
  EXPECT_TRUE(fs::is_directory("slash/raw"));
  EXPECT_FALSE(fs::exists("results"));
}

TEST_F(ResultsDir, AskedForMayBeThereAndEmpty) {
  fs::create_directory("empty");
  EXPECT_EQ(make_results_dir("empty", "food", kTime), "empty");
  EXPECT_TRUE(fs::is_directory("empty/raw"));
}

TEST_F(ResultsDir, AskedForIsNeverOverwritten) {
  const std::string why = " is not an empty folder; results are never overwritten";
  fs::create_directory("full");
  folder_.write("full/run.json", "kept");
  folder_.write("file", "kept");
  EXPECT_EQ(sentence_of("full"), "2: --out full" + why);
  EXPECT_EQ(sentence_of("file"), "2: --out file" + why);
  EXPECT_EQ(folder_.read("full/run.json") + folder_.read("file"), "keptkept");
  EXPECT_FALSE(fs::exists("full/raw"));
  EXPECT_EQ(sentence_of("new"), "made");
  EXPECT_EQ(sentence_of("new"), "2: --out new" + why);
}

// A file as the parent: permissions would not stop root.
TEST_F(ResultsDir, ThatCannotBeMadeIsARunErrorThatSaysWhatToDo) {
  folder_.write("file", "");
  EXPECT_EQ(sentence_of("file/out"),
            "4: cannot make the results folder file/out: Not a directory; choose another with "
            "--out");
  folder_.write("results", "");
  EXPECT_THAT(sentence_of(""), HasSubstr("4: cannot make the results folder results/food"));
}

TEST(UtcNow, HasTheFormOfRunJson) {
  EXPECT_THAT(utc_now(), MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
}

}  // namespace
}  // namespace traceml
