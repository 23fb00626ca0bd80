#include "harness/codec/raw_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>

#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr RunId kRun{0x0a1b2c3d4e5f6071};
const std::vector<std::string> kArms = {"reference", "shipped", "shipped/none"};

WindowRecord window_of(int arm, std::int64_t index) {
  WindowRecord record;
  record.arm = ArmIndex{arm};
  record.block = static_cast<int>(index / 2);
  record.order = static_cast<int>(index % 2);
  record.window = WindowIndex{index};
  record.steps = 48;
  record.start_host = Nanos(7'000'000'000 + index * 1'000'000);
  record.end_host = record.start_host + Nanos(987'654'321);
  record.loss_first = 4.615120516841259;
  record.loss_last = 0.1;
  return record;
}

StepRecord step_of(int arm, std::optional<std::int64_t> window, std::int64_t index) {
  StepRecord record;
  record.arm = ArmIndex{arm};
  if (window) record.window = WindowIndex{*window};
  record.step = StepIndex{index};
  record.timed = window.has_value() && index >= 2;
  record.start_host = Nanos(7'000'000'000 + index);
  record.phases[index_of(Phase::kInputWait)] = DualTime{Nanos(1000), std::nullopt};
  record.phases[index_of(Phase::kForward)] = DualTime{Nanos(0), Nanos(3000)};
  record.phases[index_of(Phase::kBackward)] = DualTime{std::nullopt, Nanos(9000)};
  record.phases[index_of(Phase::kTraced)] = DualTime{Nanos(13000), Nanos(12000)};
  return record;
}

CollectiveRecord collective_of(std::optional<std::int64_t> window, int bucket) {
  CollectiveRecord record;
  record.arm = ArmIndex{1};
  if (window) record.window = WindowIndex{*window};
  record.step = StepIndex{3};
  record.bucket = bucket;
  record.bytes = 26'214'400;
  record.issue_host = Nanos(5);
  record.arrival = Nanos(6);
  record.start = Nanos(7);
  record.clock = "device";
  return record;
}

class RawFiles : public ::testing::Test {
 protected:
  RankRecords read(bool accept_edited = false) {
    return read_rank_records({folder_.path(), kRun, kArms, accept_edited}, Rank{0}, &warnings_);
  }

  std::string error_of(bool accept_edited = false) {
    try {
      read(accept_edited);
    } catch (const RunError& error) {
      return error.what();
    }
    return "no error";
  }

  // Warm-up, then windows 0 and 1.
  void write_three_groups() {
    RawWriter writer(folder_.path(), kRun, Rank{0}, kArms);
    writer.append({}, {step_of(1, std::nullopt, 0)}, {collective_of(std::nullopt, 0)});
    writer.append({window_of(1, 0)}, {step_of(1, 0, 1), step_of(1, 0, 2)}, {collective_of(0, 0)});
    writer.append({window_of(2, 1)}, {}, {});
  }

  void replace(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = folder_.read(name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " is not in " << name;
    folder_.write(name, text.replace(at, from.size(), to));
  }

  TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(RawFiles, HaveTheColumnsOfTheirDocumentation) {
  write_three_groups();
  const auto header = [&](const std::string& name) {
    const std::string text = folder_.read(name);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(header("windows_rank_0000.csv"),
            "arm,block,order,window,steps,start_host_ns,end_host_ns,queue_start,queue_end,"
            "loss_first,loss_last,void_reason");
  EXPECT_EQ(header("steps_rank_0000.csv"),
            "arm,window,step,timed,start_host_ns,input_wait_host_ns,input_wait_device_ns,"
            "decode_host_ns,decode_device_ns,h2d_host_ns,h2d_device_ns,normalize_host_ns,"
            "normalize_device_ns,forward_host_ns,forward_device_ns,loss_host_ns,loss_device_ns,"
            "backward_host_ns,backward_device_ns,optimizer_host_ns,optimizer_device_ns,"
            "traced_host_ns,traced_device_ns,allocated_peak_bytes,reserved_peak_bytes");
  EXPECT_EQ(header("collectives_rank_0000.csv"),
            "arm,window,step,bucket,bytes,issue_host_ns,arrival_ns,start_ns,end_ns,clock");
}

TEST_F(RawFiles, ComeBackAsTheyWereWritten) {
  WindowRecord full = window_of(1, 0);
  full.queue_start = 2;
  full.queue_end = 0;
  full.void_reason = "throttled, \"thermal\"";
  StepRecord step = step_of(0, 0, 2);
  step.allocated_peak_bytes = 1LL << 40;
  step.reserved_peak_bytes = 0;
  const std::vector<WindowRecord> windows = {full, window_of(2, 1)};
  const std::vector<StepRecord> steps = {step_of(1, std::nullopt, 0), step};
  const std::vector<CollectiveRecord> collectives = {collective_of(std::nullopt, 0),
                                                     collective_of(0, 1)};
  {
    RawWriter writer(folder_.path(), kRun, Rank{0}, kArms);
    writer.append({windows[0]}, {steps[0]}, {collectives[0]});
    writer.append({windows[1]}, {steps[1]}, {collectives[1]});
  }
  const RankRecords records = read();
  EXPECT_EQ(records.rank, Rank{0});
  EXPECT_EQ(records.windows, windows);
  EXPECT_EQ(records.steps, steps);
  EXPECT_EQ(records.collectives, collectives);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RawFiles, KeepAMeasuredZeroApartFromNull) {
  write_three_groups();
  const RankRecords records = read();
  const auto& phases = records.steps.front().phases;
  EXPECT_EQ(phases[index_of(Phase::kForward)]->host, Nanos(0));
  EXPECT_EQ(phases[index_of(Phase::kInputWait)]->device, std::nullopt);
  EXPECT_EQ(phases[index_of(Phase::kDecode)], std::nullopt);
}

TEST_F(RawFiles, KeepAPhaseThatTookPlaceWithoutAnyTime) {
  StepRecord step = step_of(1, 0, 2);
  step.phases[index_of(Phase::kLoss)] = DualTime{};
  step.phases[index_of(Phase::kTraced)] = DualTime{};
  RawWriter(folder_.path(), kRun, Rank{0}, kArms).append({}, {step}, {});
  EXPECT_EQ(read().steps, std::vector<StepRecord>{step});
}

TEST_F(RawFiles, KeepALossThatIsNotFinite) {
  WindowRecord window = window_of(1, 0);
  window.loss_first = std::numeric_limits<double>::infinity();
  window.loss_last = std::nan("");
  RawWriter(folder_.path(), kRun, Rank{0}, kArms).append({window}, {}, {});
  const RankRecords records = read();
  EXPECT_TRUE(std::isinf(*records.windows[0].loss_first));
  EXPECT_TRUE(std::isnan(*records.windows[0].loss_last));
}

TEST_F(RawFiles, QuoteNamesThatCsvOrChecksumLinesWouldMistake) {
  const std::vector<std::string> names = {"a,b", "#crc32 00000000 rows=0", "say \"hi\"", ""};
  std::vector<WindowRecord> windows;
  for (int arm = 0; arm < 4; ++arm) windows.push_back(window_of(arm, arm));
  RawWriter(folder_.path(), kRun, Rank{0}, names).append(windows, {}, {});
  EXPECT_EQ(read_rank_records({folder_.path(), kRun, names}, Rank{0}, &warnings_).windows, windows);
}

TEST_F(RawFiles, RefuseANameThatWouldBreakALine) {
  EXPECT_THROW(RawWriter(folder_.path(), kRun, Rank{0}, {"two\nlines"}), RunError);
}

TEST_F(RawFiles, CloseEveryGroupWithTheChecksumThatZlibGives) {
  RawWriter(folder_.path(), kRun, Rank{0}, kArms).append({window_of(1, 0)}, {}, {});
  const std::string text = folder_.read("windows_rank_0000.csv");
  // zlib.crc32 of the three lines before it.
  EXPECT_THAT(text,
              ::testing::EndsWith("\nshipped,0,0,0,48,7000000000,7987654321,,,4.615120516841259,"
                                  "0.1,\n#crc32 10f5509f rows=1\n"));
}

TEST_F(RawFiles, LeaveOutATornEndAndSaySo) {
  write_three_groups();
  const std::string text = folder_.read("windows_rank_0000.csv");
  // Each cut from inside the last window's row to inside its checksum line.
  const std::size_t last = text.rfind("shipped/none");
  for (const std::size_t length : {last + 1, last + 30, text.size() - 20, text.size() - 1}) {
    warnings_.clear();
    folder_.write("windows_rank_0000.csv", text.substr(0, length));
    const RankRecords records = read();
    EXPECT_THAT(records.windows, ElementsAre(window_of(1, 0)));
    EXPECT_EQ(records.steps.size(), 3U);
    ASSERT_FALSE(warnings_.empty());
    EXPECT_THAT(warnings_[0], HasSubstr("windows_rank_0000.csv: line"));
    EXPECT_THAT(warnings_[0], Not(HasSubstr(folder_.path())))
        << "reports would depend on the place";
  }
}

TEST_F(RawFiles, LeaveOutOfAllFilesWhatOneFileLacks) {
  write_three_groups();
  const std::string text = folder_.read("steps_rank_0000.csv");
  folder_.write("steps_rank_0000.csv", text.substr(0, text.find("#crc32") + 23));
  const RankRecords records = read();
  EXPECT_THAT(records.windows, IsEmpty());
  EXPECT_EQ(records.steps.size(), 1U);
  EXPECT_EQ(records.collectives.size(), 1U);
  EXPECT_EQ(warnings_.size(), 2U);
}

TEST_F(RawFiles, AreEmptyWhereTheRankEndedAtOnce) {
  { RawWriter writer(folder_.path(), kRun, Rank{0}, kArms); }
  EXPECT_THAT(read().windows, IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
  folder_.write("steps_rank_0000.csv", "arm,win");
  EXPECT_THAT(read().steps, IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("steps_rank_0000.csv is empty")));
}

TEST_F(RawFiles, NameFileAndLineOfAnEdit) {
  write_three_groups();
  replace("windows_rank_0000.csv", "987654321", "887654321");
  EXPECT_THAT(error_of(), HasSubstr(folder_.path("windows_rank_0000.csv:")));
  replace("steps_rank_0000.csv", "shipped,0,2,1,", "shipped,0,2,0,");
  folder_.write("windows_rank_0000.csv", "");
  EXPECT_THAT(error_of(),
              HasSubstr(folder_.path("steps_rank_0000.csv:5: lines 5 to 7 were edited")));
  EXPECT_THAT(error_of(), HasSubstr("--accept-edited reads the file all the same"));
}

TEST_F(RawFiles, ReadAnEditedFileWhereThatIsAccepted) {
  write_three_groups();
  replace("windows_rank_0000.csv", "7987654321", "7887654321");
  const RankRecords records = read(true);
  EXPECT_EQ(records.windows[0].end_host, Nanos(7'887'654'321));
  EXPECT_EQ(records.windows.size(), 2U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("lines 4 to 5 were edited; read because of")));
}

TEST_F(RawFiles, NoticeAWindowThatWasCutOutWithItsChecksum) {
  write_three_groups();
  const std::string text = folder_.read("windows_rank_0000.csv");
  const std::size_t begin = text.find("shipped,0,0");
  const std::size_t end = text.find("shipped/none");
  folder_.write("windows_rank_0000.csv", text.substr(0, begin) + text.substr(end));
  EXPECT_THAT(error_of(), HasSubstr("edited"));
}

TEST_F(RawFiles, NameTheColumnOfWhatIsNoNumber) {
  write_three_groups();
  replace("windows_rank_0000.csv", "7987654321", "fast");
  EXPECT_THAT(error_of(true),
              HasSubstr("windows_rank_0000.csv:4: column end_host_ns 'fast' is no whole number"));
  replace("windows_rank_0000.csv", "fast", "");
  EXPECT_THAT(error_of(true), HasSubstr("4: column end_host_ns is empty"));
}

TEST_F(RawFiles, RefuseNumbersThatNoRunGives) {
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

TEST_F(RawFiles, RefuseAPhaseOfMoreThanThirteenDays) {
  write_three_groups();
  replace("steps_rank_0000.csv", ",9000,", ",1125899906842625,");
  EXPECT_THAT(error_of(true),
              HasSubstr("column backward_device_ns '1125899906842625' is not from"));
}

TEST_F(RawFiles, RefuseAWordThatOnlyBeginsLikeNull) {
  write_three_groups();
  replace("steps_rank_0000.csv", ",1000,", ",nullify,");
  EXPECT_THAT(error_of(true), HasSubstr("column input_wait_host_ns 'nullify' is no whole number"));
}

TEST_F(RawFiles, RefuseRowsWithTooFewOrTooManyFields) {
  write_three_groups();
  replace("collectives_rank_0000.csv", ",device\n", "\n");
  EXPECT_THAT(error_of(true), HasSubstr("collectives_rank_0000.csv:3: column clock is missing"));
  replace("collectives_rank_0000.csv", "7,\n", "7,,host,more\n");
  EXPECT_THAT(error_of(true), HasSubstr("collectives_rank_0000.csv:3: more fields than columns"));
}

TEST_F(RawFiles, RefuseAnArmThatTheConfigDoesNotHave) {
  write_three_groups();
  replace("steps_rank_0000.csv", "shipped,,", "shopped,,");
  EXPECT_THAT(error_of(true), HasSubstr("steps_rank_0000.csv:3: column arm 'shopped'"));
}

TEST_F(RawFiles, RefuseOtherColumns) {
  write_three_groups();
  replace("steps_rank_0000.csv", "arm,window", "window,arm");
  EXPECT_THAT(error_of(), HasSubstr("steps_rank_0000.csv:1: these are not the columns"));
}

TEST_F(RawFiles, OfARankWithoutItsStepsSayNothing) {
  write_three_groups();
  std::filesystem::remove(folder_.path("steps_rank_0000.csv"));
  const RankRecords records = read();
  EXPECT_THAT(records.windows, IsEmpty());
  EXPECT_THAT(records.collectives, IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre("steps_rank_0000.csv is missing: nothing of rank 0 counts"));
}

TEST_F(RawFiles, WithoutCollectivesLackThoseAlone) {
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

TEST_F(RawFiles, ThatCannotBeReadAreNamed) {
  write_three_groups();
  std::filesystem::remove(folder_.path("steps_rank_0000.csv"));
  std::filesystem::create_directory(folder_.path("steps_rank_0000.csv"));
  EXPECT_THAT(error_of(), HasSubstr(folder_.path("steps_rank_0000.csv")));
}

TEST_F(RawFiles, OfAnotherRunAreRefusedByName) {
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

TEST_F(RawFiles, OfAnotherRankAreRefusedByName) {
  write_three_groups();
  RawWriter(folder_.path(), kRun, Rank{1}, kArms).append({window_of(1, 0)}, {}, {});
  folder_.write("windows_rank_0000.csv", folder_.read("windows_rank_0001.csv"));
  EXPECT_THAT(error_of(), HasSubstr("windows_rank_0000.csv belongs to another run or rank"));
}

TEST_F(RawFiles, ThatWereMadeToNameThisRunAreEdited) {
  write_three_groups();
  const TemporaryFolder other;
  RawWriter(other.path(), RunId{}, Rank{0}, kArms).append({window_of(1, 0)}, {}, {});
  folder_.write("windows_rank_0000.csv", other.read("windows_rank_0000.csv"));
  replace("windows_rank_0000.csv", "#run 0000000000000000", "#run 0a1b2c3d4e5f6071");
  EXPECT_THAT(error_of(), HasSubstr("windows_rank_0000.csv:3: lines 3 to 4 were edited"));
}

TEST_F(RawFiles, WithoutTheLineThatSaysWhoseTheyAreAreNotOurs) {
  write_three_groups();
  replace("windows_rank_0000.csv", "#run 0a1b2c3d4e5f6071 rank 0 windows\n", "");
  EXPECT_THAT(error_of(), HasSubstr("belongs to another run or rank"));
  EXPECT_EQ(read(true).windows.size(), 2U);
}

TEST_F(RawFiles, AreNeverWrittenOver) {
  write_three_groups();
  EXPECT_THROW(RawWriter(folder_.path(), kRun, Rank{0}, kArms), RunError);
}

TEST_F(RawFiles, NameTheFileThatCannotBeWritten) {
  RawWriter writer(folder_.path(), kRun, Rank{0}, kArms);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{600, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    for (int i = 0; i < 100; ++i) writer.append({window_of(1, i)}, {}, {});
  } catch (const RunError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(message, "cannot write " + folder_.path("windows_rank_0000.csv") + ": File too large");
  // What was finished is kept.
  EXPECT_GT(read().windows.size(), 0U);
}

TEST_F(RawFiles, AreListedByRank) {
  for (const int rank : {3, 0, 12345}) RawWriter(folder_.path(), kRun, Rank{rank}, kArms);
  folder_.write("windows_rank_.csv", "");
  folder_.write("windows_rank_7.csv", "");
  folder_.write("windows_rank_0009.csv.tmp12", "");
  folder_.write("run_info.json", "");
  EXPECT_THAT(ranks_in(folder_.path()), ElementsAre(Rank{0}, Rank{3}, Rank{12345}));
  EXPECT_THROW(ranks_in(folder_.path("absent")), RunError);
}

TEST_F(RawFiles, TravelAsOneStringByteForByte) {
  write_three_groups();
  const TemporaryFolder other;
  unpack_raw_files(pack_raw_files(folder_.path(), Rank{0}), other.path("raw"));
  for (const char* name :
       {"windows_rank_0000.csv", "steps_rank_0000.csv", "collectives_rank_0000.csv"}) {
    EXPECT_EQ(other.read(std::string("raw/") + name), folder_.read(name));
  }
}

TEST_F(RawFiles, ThatAreThereAlreadyAreKept) {
  write_three_groups();
  const TemporaryFolder other;
  other.write("steps_rank_0000.csv", "mine");
  unpack_raw_files(pack_raw_files(folder_.path(), Rank{0}), other.path());
  EXPECT_EQ(other.read("steps_rank_0000.csv"), "mine");
  EXPECT_EQ(other.read("windows_rank_0000.csv"), folder_.read("windows_rank_0000.csv"));
}

TEST_F(RawFiles, ThatWereNotPackedByUsAreNotUnpacked) {
  write_three_groups();
  const std::string packed = pack_raw_files(folder_.path(), Rank{0});
  const TemporaryFolder other;
  for (const std::string& torn :
       {std::string("../escape.csv 2\nhi"), std::string("windows_rank_0000.csv 99\nshort"),
        std::string("windows_rank_0000.csv -1\n"), std::string("no line"),
        packed.substr(0, packed.size() - 1)}) {
    EXPECT_THROW(unpack_raw_files(torn, other.path("raw")), RunError) << torn;
  }
  EXPECT_FALSE(std::filesystem::exists(other.path("escape.csv")));
}

}  // namespace
}  // namespace traceml::testing
