#include "harness/codec/command_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;

class CommandNumber : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }

  NumberReading read(const CommandConfig& command) {
    return read_number(command, files(), std::nullopt, std::chrono::milliseconds(1500));
  }

  // What `output` of a launch gives to the regular expression.
  NumberReading match(const std::string& regex, const std::string& output,
                      const std::string& errors = "") {
    write("stdout", output);
    write("stderr", errors);
    CommandConfig command;
    command.regex = regex;
    return read(command);
  }

  CommandOutput files() const {
    return {folder_.path() + "/stdout", folder_.path() + "/stderr", folder_.path()};
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CommandNumber, of_a_regex_is_its_last_match) {
  EXPECT_EQ(
      match("step_ms: ([0-9.]+)", "step_ms: 10.5\nstep_ms: 11.25 step_ms: 12.5\ndone\n").value,
      12.5);
}

TEST_F(CommandNumber, of_a_regex_may_stand_in_a_line_that_a_carriage_return_ends) {
  EXPECT_EQ(match("([0-9]+) img", "10 img\r20 img\r").value, 20);
}

TEST_F(CommandNumber, of_a_regex_is_sought_in_the_errors_where_the_output_has_none) {
  EXPECT_EQ(match("ms=(\\S+)", "nothing\n", "ms=1e-3\n").value, 1e-3);
  EXPECT_EQ(match("ms=(\\S+)", "ms=5\n", "ms=1e-3\n").value, 5);
}

TEST_F(CommandNumber, that_is_not_there_says_so) {
  EXPECT_EQ(match("ms=(\\S+)", "nothing\n").fault,
            "no line of its output matches measure.regex 'ms=(\\S+)'");
}

// Whether a number can be judged is not asked here: a launch must not go missing for its value.
TEST_F(CommandNumber, is_given_as_it_was_found_be_it_zero_negative_or_beyond_every_double) {
  EXPECT_EQ(match("ms=(\\S+)", "ms=7\nms=0\n").value, 0);
  EXPECT_EQ(match("ms=(\\S+)", "ms=-3").value, -3);
  EXPECT_EQ(match("ms=(\\S+)", "ms=1e-999").value, 0);
  EXPECT_EQ(match("ms=(\\S+)", "ms=1e999").value, HUGE_VAL);
  EXPECT_EQ(match("ms=(\\S+)", "ms=-inf").value, -HUGE_VAL);
  EXPECT_TRUE(std::isnan(match("ms=(\\S+)", "ms=NaN").value.value_or(1)));
}

TEST_F(CommandNumber, is_never_half_a_word) {
  for (const std::string text : {"12ms", "0x10", "1,5", "none", "nano", "1e999s"}) {
    const NumberReading reading = match("ms=(\\S+)", "ms=7\nms=" + text + "\n");
    EXPECT_FALSE(reading.value) << text;
    EXPECT_THAT(reading.fault, HasSubstr("the last match")) << text;
  }
}

TEST_F(CommandNumber, of_a_long_line_is_read_without_going_deep) {
  EXPECT_FALSE(match("(?:a|b)*c ([0-9]+)", std::string(1 << 20, 'a') + "c 5\n").value);
  EXPECT_EQ(match("(?:a|b)*c ([0-9]+)", std::string(1 << 20, 'a') + "\nbc 5\n").value, 5);
}

// 2^32 ways to tell that no b follows: without a bound it would take minutes.
TEST_F(CommandNumber, of_a_regex_that_explodes_is_given_up) {
  const std::string line(32, 'a');
  const NumberReading reading = match("(?:a+)+b ([0-9]+)", line + "\nab 5\n");
  EXPECT_FALSE(reading.value);
  EXPECT_THAT(reading.fault, HasSubstr("takes too many steps on a line of its standard output"));
  EXPECT_THAT(match("(?:a+)+b ([0-9]+)", "", line).fault, HasSubstr("standard error"));
}

TEST_F(CommandNumber, of_a_long_output_is_read_to_its_end) {
  std::string output;
  for (int i = 0; i < 4000; ++i) output += "epoch 1 step 12 of many: loss=2.5 ms=9.5\n";
  EXPECT_EQ(match(".*step.*ms=([0-9.]+)", output + "a step ms=10\n").value, 10);
}

TEST_F(CommandNumber, of_a_json_file_lies_at_its_pointer) {
  write("out.json", R"({"step": [{"mean_ms": 12.5}], "text": "12", "zero": 0, "nan": NaN})");
  CommandConfig command;
  command.json = "out.json#/step/0/mean_ms";
  EXPECT_EQ(read(command).value, 12.5);
  command.json = "out.json#/step/1/mean_ms";
  EXPECT_EQ(read(command).fault, "out.json has nothing at '/step/1/mean_ms'");
  command.json = "out.json#/zero";
  EXPECT_EQ(read(command).value, 0);
  command.json = "out.json#/nan";
  EXPECT_TRUE(std::isnan(read(command).value.value_or(1)));
  for (const std::string pointer : {"/text", "/step"}) {
    command.json = "out.json#" + pointer;
    EXPECT_FALSE(read(command).value) << pointer;
  }
  command.json = "none.json#/a";
  EXPECT_THAT(read(command).fault, HasSubstr("none.json"));
}

TEST_F(CommandNumber, of_a_final_summary_is_the_largest_row_on_the_clock_that_is_named) {
  std::filesystem::copy_file(TRACEML_SOURCE_DIR "/tests/codec/traceml/single_rank_h200.json",
                             folder_.path() + "/f.json");
  CommandConfig command;
  command.final_summary = "f.json";
  const NumberReading host = read(command);
  command.final_summary = "f.json#device";
  const NumberReading device = read(command);
  ASSERT_TRUE(host.value) << host.fault;
  ASSERT_TRUE(device.value) << device.fault;
  EXPECT_NE(*host.value, *device.value);
}

TEST_F(CommandNumber, of_a_steps_file_is_the_mean_of_its_column) {
  write("steps.csv", "step,step_ms,note\n# a comment\n0,10,\n1,,x\n2,14.5,\n");
  CommandConfig command;
  command.steps_csv = "steps.csv#step_ms";
  EXPECT_EQ(read(command).value, 12.25);
  command.steps_csv = "steps.csv#step_sm";
  EXPECT_THAT(read(command).fault, HasSubstr("no column 'step_sm'; did you mean 'step_ms'?"));
  write("steps.csv", "step_ms\n10\nnan\n");
  command.steps_csv = "steps.csv#step_ms";
  EXPECT_TRUE(std::isnan(read(command).value.value_or(1)));
  write("steps.csv", "step_ms\n10\n-1\n10\n");
  EXPECT_EQ(read(command).value, -1);
  write("steps.csv", "step_ms\n10\nfast\n");
  EXPECT_EQ(read(command).fault, "steps.csv:3: step_ms is 'fast', which is no number");
  write("steps.csv", "step_ms\n\n");
  EXPECT_EQ(read(command).fault, "steps.csv has no row with step_ms");
}

TEST_F(CommandNumber, of_the_wall_time_is_in_seconds) {
  CommandConfig command;
  command.wall = true;
  EXPECT_EQ(read(command).value, 1.5);
}

TEST_F(CommandNumber, of_a_file_that_an_earlier_launch_left_does_not_count) {
  write("out.json", R"({"ms": 5})");
  CommandConfig command;
  command.json = "out.json#/ms";
  const auto before = stamp_before(command, files());
  ASSERT_TRUE(before);
  EXPECT_EQ(read_number(command, files(), before, Nanos{1}).fault, "it did not write out.json");
  write("out.json", R"({"ms": 6.25})");
  EXPECT_EQ(read_number(command, files(), before, Nanos{1}).value, 6.25);
}

}  // namespace
}  // namespace traceml
