// Raw files that were edited, removed or put in place of others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/codec/raw_files.h"
#include "tests/codec/raw_files_fixture.h"
#include "tests/codec/temporary_folder.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using EditedRawFiles = RawFiles;

TEST_F(EditedRawFiles, NameFileAndLineOfAnEdit) {
  write_three_groups();
  replace("windows_rank_0000.csv", "987654321", "887654321");
  EXPECT_THAT(error_of(), HasSubstr(folder_.path("windows_rank_0000.csv:")));
  replace("steps_rank_0000.csv", "shipped,0,2,1,", "shipped,0,2,0,");
  folder_.write("windows_rank_0000.csv", "");
  EXPECT_THAT(error_of(),
              HasSubstr(folder_.path("steps_rank_0000.csv:5: lines 5 to 7 were edited")));
  EXPECT_THAT(error_of(), HasSubstr("--accept-edited reads the file all the same"));
}

TEST_F(EditedRawFiles, ReadAnEditedFileWhereThatIsAccepted) {
  write_three_groups();
  replace("windows_rank_0000.csv", "7987654321", "7887654321");
  const RankRecords records = read(true);
  EXPECT_EQ(records.windows[0].end_host, Nanos(7'887'654'321));
  EXPECT_EQ(records.windows.size(), 2U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("lines 4 to 5 were edited; read because of")));
}

TEST_F(EditedRawFiles, NoticeAWindowThatWasCutOutWithItsChecksum) {
  write_three_groups();
  const std::string text = folder_.read("windows_rank_0000.csv");
  const std::size_t begin = text.find("shipped,0,0");
  const std::size_t end = text.find("shipped/none");
  folder_.write("windows_rank_0000.csv", text.substr(0, begin) + text.substr(end));
  EXPECT_THAT(error_of(), HasSubstr("edited"));
}

TEST_F(EditedRawFiles, NameTheColumnOfWhatIsNoNumber) {
  write_three_groups();
  replace("windows_rank_0000.csv", "7987654321", "fast");
  EXPECT_THAT(error_of(true),
              HasSubstr("windows_rank_0000.csv:4: column end_host_ns 'fast' is no whole number"));
  replace("windows_rank_0000.csv", "fast", "");
  EXPECT_THAT(error_of(true), HasSubstr("4: column end_host_ns is empty"));
}

TEST_F(EditedRawFiles, RefuseNumbersThatNoRunGives) {
  write_three_groups();
  std::string before = "7987654321";
  const auto sentence = [&](const std::string& after) {
    replace("windows_rank_0000.csv", before, after);
    before = after;
    return error_of(true);
  };
  const std::string range = "is not from -1152921504606846976 to 1152921504606846976";
  for (const char* number :
       {"9223372036854775807", "-9223372036854775808", "99999999999999999999"}) {
    EXPECT_THAT(sentence(number), HasSubstr("windows_rank_0000.csv:4: column end_host_ns '" +
                                            std::string(number) + "' " + range));
  }
  EXPECT_EQ(sentence("-5"), "no error");  // which the analysis takes for no time
  replace("windows_rank_0000.csv", "shipped,0,0,0,48,", "shipped,0,0,-1,48,");
  EXPECT_THAT(error_of(true), HasSubstr("column window '-1' is not from 0 to 2147483647"));
}

TEST_F(EditedRawFiles, RefuseAPhaseOfMoreThanThirteenDays) {
  write_three_groups();
  replace("steps_rank_0000.csv", ",9000,", ",1125899906842625,");
  EXPECT_THAT(error_of(true),
              HasSubstr("column backward_device_ns '1125899906842625' is not from"));
}

TEST_F(EditedRawFiles, RefuseAWordThatOnlyBeginsLikeNull) {
  write_three_groups();
  replace("steps_rank_0000.csv", ",1000,", ",nullify,");
  EXPECT_THAT(error_of(true), HasSubstr("column input_wait_host_ns 'nullify' is no whole number"));
}

TEST_F(EditedRawFiles, RefuseRowsWithTooFewOrTooManyFields) {
  write_three_groups();
  replace("collectives_rank_0000.csv", ",device\n", "\n");
  EXPECT_THAT(error_of(true), HasSubstr("collectives_rank_0000.csv:3: column clock is missing"));
  replace("collectives_rank_0000.csv", "7,\n", "7,,host,more\n");
  EXPECT_THAT(error_of(true), HasSubstr("collectives_rank_0000.csv:3: more fields than columns"));
}

TEST_F(EditedRawFiles, RefuseAnArmThatTheConfigDoesNotHave) {
  write_three_groups();
  replace("steps_rank_0000.csv", "shipped,,", "shopped,,");
  EXPECT_THAT(error_of(true), HasSubstr("steps_rank_0000.csv:3: column arm 'shopped'"));
}

TEST_F(EditedRawFiles, RefuseOtherColumns) {
  write_three_groups();
  replace("steps_rank_0000.csv", "arm,window", "window,arm");
  EXPECT_THAT(error_of(), HasSubstr("steps_rank_0000.csv:1: these are not the columns"));
}

TEST_F(EditedRawFiles, OfARankWithoutItsStepsSayNothing) {
  write_three_groups();
  std::filesystem::remove(folder_.path("steps_rank_0000.csv"));
  const RankRecords records = read();
  EXPECT_THAT(records.windows, IsEmpty());
  EXPECT_THAT(records.collectives, IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre("steps_rank_0000.csv is missing: nothing of rank 0 counts"));
}

TEST_F(EditedRawFiles, WithoutCollectivesLackThoseAlone) {
  write_three_groups();
  const RankRecords whole = read();
  std::filesystem::remove(folder_.path("collectives_rank_0000.csv"));
  const RankRecords records = read();
  EXPECT_EQ(records.windows, whole.windows);
  EXPECT_EQ(records.steps, whole.steps);
  EXPECT_THAT(records.collectives, IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre("collectives_rank_0000.csv is missing: nothing is said of its "
                                     "all-reduces"));
}

TEST_F(EditedRawFiles, ThatCannotBeReadAreNamed) {
  write_three_groups();
  std::filesystem::remove(folder_.path("steps_rank_0000.csv"));
  std::filesystem::create_directory(folder_.path("steps_rank_0000.csv"));
  EXPECT_THAT(error_of(), HasSubstr(folder_.path("steps_rank_0000.csv")));
}

TEST_F(EditedRawFiles, OfAnotherRunAreRefusedByName) {
  write_three_groups();
  for (const char* name :
       {"windows_rank_0000.csv", "steps_rank_0000.csv", "collectives_rank_0000.csv"}) {
    const TemporaryFolder other;
    RawWriter(other.path(), RunId{kRun.value + 1}, Rank{0}, kArms)
        .append({window_of(1, 0)}, {}, {});
    const std::string own = folder_.read(name);
    folder_.write(name, other.read(name));
    EXPECT_THAT(error_of(), HasSubstr(folder_.path(name) + " belongs to another run or rank: "));
    EXPECT_THAT(error_of(), HasSubstr("'#run 0a1b2c3d4e5f6071 rank 0 "));
    warnings_.clear();
    read(true);
    EXPECT_THAT(warnings_, ::testing::Contains(std::string(name) +
                                               " belongs to another run or rank; read because of "
                                               "--accept-edited"));
    folder_.write(name, own);
  }
}

TEST_F(EditedRawFiles, OfAnotherRankAreRefusedByName) {
  write_three_groups();
  RawWriter(folder_.path(), kRun, Rank{1}, kArms).append({window_of(1, 0)}, {}, {});
  folder_.write("windows_rank_0000.csv", folder_.read("windows_rank_0001.csv"));
  EXPECT_THAT(error_of(), HasSubstr("windows_rank_0000.csv belongs to another run or rank"));
}

TEST_F(EditedRawFiles, ThatWereMadeToNameThisRunAreEdited) {
  write_three_groups();
  const TemporaryFolder other;
  RawWriter(other.path(), RunId{}, Rank{0}, kArms).append({window_of(1, 0)}, {}, {});
  folder_.write("windows_rank_0000.csv", other.read("windows_rank_0000.csv"));
  replace("windows_rank_0000.csv", "#run 0000000000000000", "#run 0a1b2c3d4e5f6071");
  EXPECT_THAT(error_of(), HasSubstr("windows_rank_0000.csv:3: lines 3 to 4 were edited"));
}

TEST_F(EditedRawFiles, WithoutTheLineThatSaysWhoseTheyAreAreNotOurs) {
  write_three_groups();
  replace("windows_rank_0000.csv", "#run 0a1b2c3d4e5f6071 rank 0 windows\n", "");
  EXPECT_THAT(error_of(), HasSubstr("belongs to another run or rank"));
  EXPECT_EQ(read(true).windows.size(), 2U);
}

}  // namespace
}  // namespace traceml::testing
