#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "harness/codec/config_file.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;

Config comparable(Config config) {
  config.places.clear();
  for (GateConfig& gate : config.gates) gate.where.clear();
  return config;
}

TEST(StoredGate, comes_back_from_its_canonical_form) {
  const std::string text =
      "gates: [{compare: a, against: {stored: \"b: {c}\"}, max_regression: 3%, "
      "treatment: [commit, mpi], reference_margin: 5%, confirm_on_fail: true}]\n";
  const Config config = comparable(read_config_text(text, "c.yaml", {}));
  ASSERT_EQ(config.gates.size(), 1u);
  EXPECT_EQ(config.gates[0].stored, "b: {c}");
  EXPECT_EQ(config.gates[0].treatment, (std::vector<std::string>{"commit", "mpi"}));
  EXPECT_EQ(config.gates[0].reference_margin, .05);
  EXPECT_EQ(config.gates[0].delta, .03);
  EXPECT_TRUE(config.gates[0].confirm_on_fail);
  const std::string canonical = write_config(config);
  EXPECT_THAT(canonical, HasSubstr("against: {stored: \"b: {c}\"}, max_regression: 3%"));
  EXPECT_EQ(comparable(read_config_text(canonical, "c.yaml", {})), config);
}

TEST(StoredGate, starts_at_the_folder_of_its_config_and_hides_absolute_folders) {
  const testing::TemporaryFolder folder;
  folder.write("c.yaml",
               "gates: [{compare: a, against: {stored: stores/a}}, "
               "{compare: b, against: {stored: /home/ann/food101}}]\n");
  const Config config = read_config_file(folder.path("c.yaml"), {});
  EXPECT_EQ(config.gates[0].stored, "stores/a");
  EXPECT_EQ(config.gates[0].stored_path, folder.path("stores/a"));
  EXPECT_EQ(config.gates[1].stored, "food101");
  EXPECT_EQ(config.gates[1].stored_path, "/home/ann/food101");
}

}  // namespace
}  // namespace traceml
