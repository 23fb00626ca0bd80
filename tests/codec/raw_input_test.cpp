// The raw file of loaders: only there where an instrumented arm has one, else like the others.

#include <gmock/gmock.h>

#include "harness/codec/raw_plan_check.h"
#include "tests/codec/raw_files_fixture.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFile = "input_rank_0000.csv";

InputRecord full_record(std::optional<std::int64_t> window = 0) {
  InputRecord record;
  record.arm = ArmIndex{1};
  if (window) record.window = WindowIndex{*window};
  record.step = StepIndex{3};
  record.batch = 51;
  record.begun = Nanos(-5);
  record.ready = Nanos(7);
  record.asked = Nanos(8);
  record.taken = Nanos(9);
  record.released = Nanos(10);
  record.read = Nanos(11);
  record.decode = Nanos(12);
  record.resize = Nanos(13);
  record.cpu = Nanos(14);
  record.slot_wait = Nanos(15);
  record.queue_depth = 2;
  record.slowest_file = "class, \"a\"/#1.jpg";
  record.slowest = Nanos(16);
  record.copy = Nanos(17);
  record.engine_wait = Nanos(18);
  return record;
}

InputRecord null_record() {
  InputRecord record;
  record.arm = ArmIndex{1};
  record.step = StepIndex{4};
  record.slowest_file = "x.jpg";
  return record;
}

class RawInputFile : public RawFiles {
 protected:
  void write() {
    RawWriter writer(folder_.path(), kRun, Rank{0}, kArms, {.device = false, .input = true});
    writer.append({}, {step_of(1, std::nullopt, 0)}, {}, {}, {null_record()});
    writer.append({window_of(1, 0)}, {}, {}, {}, {full_record()});
  }
};

TEST_F(RawInputFile, ReadsBackWhatWasWritten) {
  write();
  EXPECT_THAT(read().inputs, ElementsAre(null_record(), full_record()));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(folder_.read(kFile),
              HasSubstr("arm,window,step,batch,begun_host_ns,ready_host_ns,asked_host_ns,"
                        "taken_host_ns,released_host_ns,read_ns,decode_ns,resize_ns,cpu_ns,"
                        "slot_wait_ns,queue_depth,slowest_file,slowest_ns,copy_ns,"
                        "engine_wait_ns\n"));
  EXPECT_THAT(folder_.read(kFile), HasSubstr("\nshipped,,4,0,0,0,0,0,,0,0,0,,0,,x.jpg,0,,\n"));
  EXPECT_THAT(folder_.read(kFile),
              HasSubstr("\nshipped,0,3,51,-5,7,8,9,10,11,12,13,14,15,2,\"class, \"\"a\"\"/#1.jpg\","
                        "16,17,18\n"));
}

TEST_F(RawInputFile, IsNotThereWithoutALoader) {
  write_three_groups();
  EXPECT_FALSE(std::filesystem::exists(folder_.path(kFile)));
  EXPECT_THAT(read().inputs, IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RawInputFile, OfAnOlderRunLacksTheWaitForEngines) {
  write();
  replace(kFile, ",copy_ns,engine_wait_ns\n", ",copy_ns\n");
  replace(kFile, ",16,17,18\n", ",16,17\n");
  replace(kFile, ",x.jpg,0,,\n", ",x.jpg,0,\n");
  InputRecord older = full_record();
  older.engine_wait = std::nullopt;
  EXPECT_THAT(read(true).inputs, ElementsAre(null_record(), older));
}

TEST_F(RawInputFile, TravelsWithTheOthers) {
  write();
  const TemporaryFolder other;
  unpack_raw_files(pack_raw_files(folder_.path(), Rank{0}), other.path("raw"));
  EXPECT_EQ(other.read(std::string("raw/") + kFile), folder_.read(kFile));
}

TEST_F(RawInputFile, IsRefusedWhereItWasEdited) {
  write();
  replace(kFile, ",51,", ",52,");
  EXPECT_THAT(error_of(), HasSubstr(kFile));
}

TEST_F(RawInputFile, RefusesFieldsThatAreNone) {
  const auto fault = [this](const char* from, const char* to) {
    std::filesystem::remove_all(folder_.path());
    write();
    replace(kFile, from, to);
    return error_of(true);
  };
  EXPECT_THAT(fault("\nshipped,0", "\nother,0"), HasSubstr("input_rank_0000.csv:5"));
  EXPECT_THAT(fault(",51,", ",-1,"), HasSubstr("column batch '-1' is not from 0 to"));
  EXPECT_THAT(fault(",11,12,", ",-11,12,"), HasSubstr("column read_ns '-11' is not from 0 to"));
  EXPECT_THAT(fault(",11,12,", ",11,1.5,"), HasSubstr("column decode_ns '1.5' is no whole number"));
  EXPECT_THAT(fault(",16,17,18", ",16,17"), HasSubstr("column engine_wait_ns is missing"));
  EXPECT_THAT(fault(",17,18", ",17,18,19"), HasSubstr("more fields than columns"));
}

// Run of one rank; arm 1 has a loader.
CampaignFacts facts_with_loader() {
  CampaignFacts facts;
  facts.steps_per_window = 48;
  facts.settle_steps = 2;
  facts.max_blocks = 6;
  for (const std::string& name : kArms) {
    ArmFacts arm;
    arm.name = name;
    if (name == "shipped") arm.workers = 2;
    facts.arms.push_back(arm);
  }
  return facts;
}

std::string refusal(const InputRecord& record, int times = 1) {
  RankRecords records{Rank{0}, {}, {}, {}};
  for (int i = 0; i < times; ++i) records.inputs.push_back(record);
  try {
    check_against_plan(facts_with_loader(), records, "raw");
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RawInputRows, AreThoseOfThePlan) {
  EXPECT_EQ(refusal(full_record(std::nullopt)), "no error");
  EXPECT_EQ(refusal(full_record(std::nullopt), 2),
            "raw/input_rank_0000.csv: the row of arm shipped, warm-up, step 3 stands there twice");
  EXPECT_EQ(refusal(full_record(5)),
            "raw/input_rank_0000.csv: the row of arm shipped, window 5, step 3 is not in the plan");
  InputRecord reference = full_record(std::nullopt);
  reference.arm = ArmIndex{0};
  EXPECT_EQ(refusal(reference),
            "raw/input_rank_0000.csv: the row of arm reference, warm-up, step 3 is not in the "
            "plan");
}

TEST_F(RawInputFile, IsMissedWhereALoaderWasRecorded) {
  write();
  std::filesystem::remove(folder_.path(kFile));
  CampaignFacts facts = facts_with_loader();
  facts.settle_steps = 0;
  std::vector<std::string> warnings;
  RawFolder folder{folder_.path(), kRun, kArms, false};
  try {
    read_run_records(folder, facts, &warnings);
  } catch (const RunError&) {  // the rows of this fixture are in no plan
  }
  EXPECT_THAT(warnings, ElementsAre("input_rank_0000.csv is missing: nothing is said of where its "
                                    "loader's time went"));
}

}  // namespace
}  // namespace traceml::testing
