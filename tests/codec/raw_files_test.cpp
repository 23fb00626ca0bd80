#include "harness/codec/raw_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>

#include "harness/core/error.h"
#include "tests/codec/raw_files_fixture.h"
#include "tests/codec/temporary_folder.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
