// The raw file of devices: only there with a monitor, else like the others.

#include <gmock/gmock.h>

#include "harness/codec/raw_plan_check.h"
#include "tests/codec/raw_files_fixture.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFile = "device_rank_0000.csv";

DeviceRecord full_record() {
  DeviceRecord record;
  record.window = WindowIndex{0};
  record.sm_clock_mhz = 1980;
  record.memory_clock_mhz = 3201;
  record.power_w = 648.125;
  record.temperature_c = -5;
  record.throttle_reasons = 0x4;
  record.other_processes = 0;
  return record;
}

DeviceRecord null_record() {
  DeviceRecord record;
  record.window = WindowIndex{0};
  record.when = DeviceWhen::kAfter;
  return record;
}

class RawDeviceFile : public RawFiles {
 protected:
  void write() {
    RawWriter writer(folder_.path(), kRun, Rank{0}, kArms, {.device = true, .input = false});
    writer.append({}, {step_of(1, std::nullopt, 0)}, {});
    writer.append({window_of(1, 0)}, {}, {}, {full_record(), null_record()});
  }
};

TEST_F(RawDeviceFile, ReadsBackWhatWasWritten) {
  write();
  EXPECT_THAT(read().devices, ElementsAre(full_record(), null_record()));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(folder_.read(kFile), HasSubstr("window,when,sm_clock_mhz,memory_clock_mhz,power_w,"
                                             "temperature_c,throttle_reasons,other_processes\n"));
  EXPECT_THAT(folder_.read(kFile),
              HasSubstr("\n0,before,1980,3201,648.125,-5,4,0\n0,after,,,,,,\n"));
}

TEST_F(RawDeviceFile, IsNotThereWithoutAMonitorAndMissedByNobody) {
  write_three_groups();
  EXPECT_FALSE(std::filesystem::exists(folder_.path(kFile)));
  EXPECT_THAT(read().devices, IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RawDeviceFile, TravelsWithTheOthers) {
  write();
  const TemporaryFolder other;
  unpack_raw_files(pack_raw_files(folder_.path(), Rank{0}), other.path("raw"));
  EXPECT_EQ(other.read(std::string("raw/") + kFile), folder_.read(kFile));
}

TEST_F(RawDeviceFile, IsRefusedWhereItWasEdited) {
  write();
  replace(kFile, "1980", "1981");
  EXPECT_THAT(error_of(), HasSubstr(kFile));
}

TEST_F(RawDeviceFile, RefusesFieldsThatAreNone) {
  for (const auto& [from, to, sentence] :
       {std::tuple{"0,before", "0,during", "column when 'during' is neither before nor after"},
        std::tuple{"648.125", "inf", "column power_w is not finite"},
        std::tuple{",-5,", ",-500,", "column temperature_c '-500' is not from -273 to 1000"},
        std::tuple{",4,0\n", ",-4,0\n", "column throttle_reasons '-4'"}}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      std::filesystem::remove(entry);
    }
    write();
    replace(kFile, from, to);
    EXPECT_THAT(error_of(true), HasSubstr(sentence));
  }
}

TEST_F(RawDeviceFile, IsCutWithTheOthersWhereTheRankDied) {
  write();
  std::string text = folder_.read("windows_rank_0000.csv");
  folder_.write("windows_rank_0000.csv", text.substr(0, text.rfind("#crc32")));
  EXPECT_THAT(read().devices, IsEmpty());
  EXPECT_THAT(read().windows, IsEmpty());
}

TEST(DevicePlanCheck, RefusesRowsOfNoWindowAndTwins) {
  CampaignFacts facts;
  facts.arms.resize(1);
  facts.arms[0].name = "shipped";
  facts.steps_per_window = 48;
  RankRecords records{Rank{0}, {window_of(0, 0)}, {}, {}};
  records.windows[0].order = 0;
  records.devices = {full_record(), null_record()};
  EXPECT_NO_THROW(check_against_plan(facts, records, "raw"));
  const auto sentence = [&] {
    try {
      check_against_plan(facts, records, "raw");
    } catch (const RunError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  records.devices.push_back(full_record());
  EXPECT_EQ(sentence(), "raw/device_rank_0000.csv: the row of window 0, before stands there twice");
  records.devices.back().window = WindowIndex{7};
  EXPECT_EQ(sentence(), "raw/device_rank_0000.csv: the row of window 7, before is not in the plan");
}

}  // namespace
}  // namespace traceml::testing
