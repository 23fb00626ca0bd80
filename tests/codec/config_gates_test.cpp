#include <gtest/gtest.h>

#include <string>

#include "harness/codec/config_file.h"

namespace traceml {
namespace {

TEST(Gates, without_a_margin_take_those_of_the_statistics) {
  const Config config = read_config_text(
      "gates: [{compare: a, against: b}, {overhead_of: host, on: a}]\n", "c.yaml", {});
  EXPECT_EQ(config.gates[0].delta, 0.02);
  EXPECT_EQ(config.gates[1].delta, 0.01);
}

TEST(Gates, keep_how_many_runs_in_a_row_fail) {
  const std::string text =
      "input: {source: synthetic}\narms: {a: {}, b: {}}\n"
      "gates:\n  - {compare: a, against: b, escalate_after: 3}\n";
  const Config config = read_config_text(text, "gate.yaml", {});
  EXPECT_EQ(config.gates.at(0).escalate_after, 3);
  EXPECT_EQ(read_config_text(write_config(config), "again.yaml", {}).gates.at(0).escalate_after, 3);
}

}  // namespace
}  // namespace traceml
