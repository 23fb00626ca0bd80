#include "harness/codec/command_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;

constexpr RunId kRun{42};
const std::vector<std::string> kArms = {"bare", "traced"};

CommandRecord valid_launch(std::int64_t number, std::optional<int> block) {
  CommandRecord launch;
  launch.launch = number;
  launch.arm = {static_cast<int>(number % 2)};
  launch.block = block;
  launch.order = 1;
  launch.wall = Nanos(1234567);
  launch.value = 0.1 + 0.2;
  launch.unit = "images/s";
  return launch;
}

CommandRecord void_launch(std::int64_t number) {
  CommandRecord launch = valid_launch(number, 3);
  launch.exit_code = 7;
  launch.signal = 9;
  launch.timed_out = true;
  launch.value = std::nullopt;
  launch.void_reason = "gave no number: it did not write out.json";
  return launch;
}

class CommandsCsv : public ::testing::Test {
 protected:
  CommandsCsv() {
    CommandFile file(folder_.path(), kRun, kArms);
    for (const CommandRecord& launch : written_) file.append(launch);
  }

  std::string path() const { return folder_.path() + "/commands.csv"; }

  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path(), std::ios::binary).rdbuf();
    return text.str();
  }

  void overwrite(const std::string& text) { std::ofstream(path(), std::ios::binary) << text; }

  std::vector<CommandRecord> read(bool accept_edited = false) {
    return read_commands(folder_.path(), kRun, kArms, accept_edited, &warnings_);
  }

  std::string refusal(bool accept_edited = false) {
    try {
      read(accept_edited);
    } catch (const RunError& error) {
      return error.what();
    }
    return "accepted";
  }

  testing::TemporaryFolder folder_;
  std::vector<CommandRecord> written_ = {valid_launch(0, std::nullopt), valid_launch(1, 0),
                                         void_launch(2)};
  std::vector<std::string> warnings_;
};

TEST_F(CommandsCsv, gives_every_launch_back) {
  EXPECT_EQ(read(), written_);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CommandsCsv, keeps_numbers_that_no_time_can_be) {
  testing::TemporaryFolder other;
  {
    CommandFile file(other.path(), kRun, kArms);
    for (const double value : {0.0, -1.5, -HUGE_VAL, std::nan("")}) {
      CommandRecord launch = valid_launch(0, 0);
      launch.value = value;
      file.append(launch);
    }
  }
  const auto launches = read_commands(other.path(), kRun, kArms, false, &warnings_);
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[0].value, 0);
  EXPECT_EQ(launches[1].value, -1.5);
  EXPECT_EQ(launches[2].value, -HUGE_VAL);
  EXPECT_TRUE(std::isnan(*launches[3].value));
}

TEST_F(CommandsCsv, keeps_a_reason_in_one_field_whatever_it_says) {
  CommandRecord launch = void_launch(3);
  launch.void_reason = "no \"number\", in\nline 3";
  testing::TemporaryFolder other;
  CommandFile(other.path(), kRun, kArms).append(launch);
  EXPECT_EQ(read_commands(other.path(), kRun, kArms, false, &warnings_).at(0).void_reason,
            "no 'number'; in line 3");
}

TEST_F(CommandsCsv, that_was_edited_is_refused_by_line) {
  std::string edited = text();
  edited.replace(edited.find("1234567"), 7, "1234568");
  overwrite(edited);
  EXPECT_THAT(refusal(), HasSubstr("commands.csv:3: lines 3 to 4 were edited"));
  EXPECT_EQ(read(true).size(), written_.size());
}

TEST_F(CommandsCsv, of_another_run_is_refused) {
  std::string other = text();
  other.replace(other.find("2a rank"), 2, "2b");
  overwrite(other);
  EXPECT_NE(refusal(), "accepted");
}

TEST_F(CommandsCsv, that_was_torn_loses_its_last_row_alone) {
  const std::string whole = text();
  overwrite(whole.substr(0, whole.rfind("#crc32")));
  EXPECT_EQ(read().size(), 2u);
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(CommandsCsv, with_a_value_that_no_launch_has_is_refused_even_where_edits_are_accepted) {
  const std::string whole = text();
  for (const std::string value : {"x", "1e999", ""}) {
    std::string edited = whole;
    edited.replace(edited.find("0.30000000000000004"), 19, value);
    overwrite(edited);
    EXPECT_THAT(refusal(true), HasSubstr("commands.csv:3: field 9")) << value;
  }
}

TEST_F(CommandsCsv, that_is_missing_is_a_warning) {
  std::filesystem::remove(path());
  EXPECT_TRUE(read().empty());
  EXPECT_THAT(warnings_,
              ::testing::ElementsAre("commands.csv is missing: the run ended before a launch"));
}

}  // namespace
}  // namespace traceml
