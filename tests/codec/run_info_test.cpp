#include "harness/codec/run_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/codec/atomic_file.h"
#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;

RunInfo full_info() {
  RunInfo info;
  info.run = RunId{0x0a1b2c3d4e5f6071};
  info.tool_version = "0.1.0";
  info.created_utc = "2026-11-29T18:15:00Z";
  info.config_text = "name: \"food\"\nseed: 18446744073709551615\n";
  info.world_size = 2;
  info.device = "cpu";
  info.exchange = "mpi";
  info.environment.facts = {{"cpu_model", "AMD EPYC"}, {"cores_allowed", "2"}};
  info.facts = {{"dataset_images", "302"}};
  info.counters = {{"samples_replaced", 1LL << 60}};
  info.equal_by_design = {{"shipped", "no JPEG work"}};
  GateSpec gate;
  gate.name = "engines against cpu";
  gate.kind = GateKind::kMinFraction;
  gate.delta = 1 / 0.9 - 1;
  gate.min_fraction = 0.9;
  gate.inconclusive_fails = true;
  gate.escalate_after = 3;
  gate.left_out = LeftOutArms{"engines", "cpu", "no nvJPEG"};
  info.left_out_gates = {gate, gate};
  info.left_out_gates.back().stored = StoredSpec{};
  info.left_out_gates.back().stored->store = "nights";
  info.distortions = {"CUDA_LAUNCH_BLOCKING=1"};
  info.notes = {"first", "second"};
  info.finished = true;
  info.failure = "rank 1: \"disk full\"\n";
  return info;
}

class RunInfoFile : public ::testing::Test {
 protected:
  std::string error_of(bool accept_edited = false) {
    try {
      read_run_info(path_, accept_edited);
    } catch (const RunError& error) {
      return error.what();
    }
    return "no error";
  }

  void replace(const std::string& from, const std::string& to) {
    std::string text = folder_.read("run_info.json");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    folder_.write("run_info.json", text.replace(at, from.size(), to));
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("run_info.json");
};

TEST_F(RunInfoFile, ComesBackAsItWasWritten) {
  const RunInfo info = full_info();
  write_run_info(path_, info);
  const RunInfo read = read_run_info(path_);
  EXPECT_EQ(read.run, info.run);
  EXPECT_EQ(read.tool_version, info.tool_version);
  EXPECT_EQ(read.created_utc, info.created_utc);
  EXPECT_EQ(read.config_text, info.config_text);
  EXPECT_EQ(read.world_size, info.world_size);
  EXPECT_EQ(read.device, info.device);
  EXPECT_EQ(read.exchange, info.exchange);
  EXPECT_EQ(read.environment.facts, info.environment.facts);
  EXPECT_EQ(read.facts, info.facts);
  EXPECT_EQ(read.counters, info.counters);
  EXPECT_EQ(read.equal_by_design, info.equal_by_design);
  ASSERT_EQ(read.left_out_gates.size(), info.left_out_gates.size());
  for (std::size_t i = 0; i < read.left_out_gates.size(); ++i) {
    const GateSpec& gate = read.left_out_gates[i];
    EXPECT_EQ(gate.name, "engines against cpu");
    EXPECT_EQ(gate.kind, GateKind::kMinFraction);
    EXPECT_EQ(gate.delta, 1 / 0.9 - 1);
    EXPECT_EQ(gate.min_fraction, 0.9);
    EXPECT_FALSE(gate.inconclusive_passes);
    EXPECT_TRUE(gate.inconclusive_fails);
    EXPECT_EQ(gate.escalate_after, 3);
    EXPECT_EQ(gate.left_out, info.left_out_gates[i].left_out);
  }
  EXPECT_FALSE(read.left_out_gates.front().stored);
  EXPECT_EQ(read.left_out_gates.back().stored.value().store, "nights");
  EXPECT_EQ(read.distortions, info.distortions);
  EXPECT_EQ(read.notes, info.notes);
  EXPECT_EQ(read.finished, info.finished);
  EXPECT_EQ(read.failure, info.failure);
}

TEST_F(RunInfoFile, OfAnOlderRunHasNoGateThatWasLeftOut) {
  RunInfo info = full_info();
  info.left_out_gates.clear();
  write_run_info(path_, info);
  replace("\"left_out_gates\": [],", "");
  EXPECT_TRUE(read_run_info(path_, true).left_out_gates.empty());
}

TEST_F(RunInfoFile, SaysWhatIsWrongWithAGateThatWasLeftOut) {
  write_run_info(path_, full_info());
  replace("\"escalate_after\": 3", "\"escalate_after\": -3");
  EXPECT_THAT(error_of(true), HasSubstr("escalate_after: -3 is no whole number from 0 to"));
  write_run_info(path_, full_info());
}

TEST_F(RunInfoFile, SurvivesTextThatIsNotUtf8) {
  RunInfo info = full_info();
  info.failure = "cannot read caf\xe9.jpg";
  write_run_info(path_, info);
  EXPECT_EQ(read_run_info(path_).failure, "cannot read caf\xef\xbf\xbd.jpg");
}

TEST_F(RunInfoFile, IsReplacedAsAWhole) {
  write_run_info(path_, RunInfo{});
  write_run_info(path_, full_info());
  EXPECT_EQ(read_run_info(path_).world_size, 2);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1) << "a temporary file was left behind";
}

TEST_F(RunInfoFile, IsNamedWhereItIsTorn) {
  write_run_info(path_, full_info());
  const std::string text = folder_.read("run_info.json");
  folder_.write("run_info.json", text.substr(0, text.size() / 2));
  EXPECT_THAT(error_of(), HasSubstr(path_ + " is torn or no JSON"));
}

TEST_F(RunInfoFile, IsNamedWhereItIsMissing) {
  EXPECT_EQ(error_of(), "cannot open " + path_ + ": No such file or directory");
}

TEST_F(RunInfoFile, OfAnotherSchemaIsRefusedWithBothSchemas) {
  write_run_info(path_, full_info());
  replace("run_info/1", "run_info/9");
  EXPECT_THAT(error_of(), HasSubstr("says that its schema is \"traceml-bench/run_info/9\"; this "
                                    "version reads \"traceml-bench/run_info/1\""));
  folder_.write("run_info.json", "[]");
  EXPECT_THAT(error_of(), HasSubstr("says that its schema is nothing"));
}

TEST_F(RunInfoFile, ThatWasEditedIsRefusedUnlessAccepted) {
  write_run_info(path_, full_info());
  replace("seed: 18446744073709551615", "seed: 1");
  EXPECT_THAT(error_of(), HasSubstr("was edited"));
  EXPECT_THAT(error_of(), HasSubstr("--accept-edited"));
  EXPECT_EQ(read_run_info(path_, true).config_text, "name: \"food\"\nseed: 1\n");
}

TEST_F(RunInfoFile, KeepsTheIdOfItsRunUnderItsChecksum) {
  write_run_info(path_, full_info());
  EXPECT_THAT(folder_.read("run_info.json"), HasSubstr("\"run_id\": \"0a1b2c3d4e5f6071\""));
  replace("0a1b2c3d", "1a1b2c3d");
  EXPECT_THAT(error_of(), HasSubstr("was edited"));
  replace("1a1b2c3d", "1A1B2C3D");
  EXPECT_THAT(error_of(true), HasSubstr("run_id is not 16 hexadecimal digits"));
}

TEST_F(RunInfoFile, OfMoreRanksThanAnyMachineHasIsRefused) {
  write_run_info(path_, full_info());
  std::string before = "2";
  for (const char* size : {"0", "-1", "100001", "2000000000", "1e18", "2.5", "18446744073709551615",
                           "true", "\"2\"", "null"}) {
    replace("\"world_size\": " + before, std::string("\"world_size\": ") + size);
    before = size;
    EXPECT_THAT(error_of(true), ::testing::StartsWith(path_ + " is not a whole run_info.json: "
                                                              "world_size: "))
        << size;
    EXPECT_THAT(error_of(true), ::testing::EndsWith(" is no whole number from 1 to 100000"))
        << size;
  }
}

TEST_F(RunInfoFile, ThatIsNestedWithoutEndIsRefused) {
  folder_.write("run_info.json", "{\"schema\": " + std::string(1'000'000, '['));
  EXPECT_THAT(error_of(true), HasSubstr("is no run_info.json: it is nested too deeply"));
  folder_.write("run_info.json", "{\"schema\": 1e999}");
  EXPECT_THAT(error_of(true), HasSubstr("holds a number that is too large to read"));
}

TEST_F(RunInfoFile, WithoutAKeyOrWithAnotherTypeIsRefused) {
  write_run_info(path_, full_info());
  replace("\"finished\": true", "\"finished\": \"yes\"");
  EXPECT_THAT(error_of(true), HasSubstr("is not a whole run_info.json"));
  replace("\"finished\"", "\"finish\"");
  EXPECT_THAT(error_of(true), HasSubstr("finished"));
}

TEST(AtomicFile, KeepsTheOldContentWhereTheNewCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_file_atomically(folder.path("absent/file"), "new"), RunError);
  std::filesystem::create_directory(folder.path("taken"));
  EXPECT_THROW(write_file_atomically(folder.path("taken"), "new"), RunError);
  EXPECT_TRUE(std::filesystem::is_directory(folder.path("taken")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFile, HoldsBytesOfAnyKind) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file_atomically(folder.path("file"), bytes);
  EXPECT_EQ(read_whole_file(folder.path("file")), bytes);
  write_file_atomically(folder.path("file"), "");
  EXPECT_EQ(read_whole_file(folder.path("file")), "");
}

TEST(AtomicFile, what_a_killed_process_left_is_removed_and_nothing_else) {
  const TemporaryFolder folder;
  for (const char* name : {"run.json.tmp123", "run.json", "notes.tmp", "x.tmp1y"}) {
    write_file_atomically(folder.path(name), "x");
  }
  remove_temporaries(folder.path(""));
  EXPECT_FALSE(std::filesystem::exists(folder.path("run.json.tmp123")));
  for (const char* name : {"run.json", "notes.tmp", "x.tmp1y"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path(name))) << name;
  }
  remove_temporaries("/nowhere");
}

}  // namespace
}  // namespace traceml::testing
