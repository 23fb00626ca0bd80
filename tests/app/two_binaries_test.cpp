#include "harness/app/two_binaries.h"

#include <gmock/gmock.h>

#include "harness/codec/config_file.h"
#include "harness/plan/command_rules.h"

namespace traceml {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

BinaryPair sample_pair() {
  BinaryPair pair;
  pair.setup.binary = "/opt/old build/traceml-bench";
  pair.setup.config = "/srv/night.yaml";
  pair.setup.overrides = {"workload.precision=bf16"};
  pair.setup.ranks = 4;
  pair.setup.launches = 10;
  pair.setup.cores = 8;
  pair.candidate = "/opt/new/\"quoted\"/traceml-bench";
  pair.name = "night";
  pair.arm = "shipped";
  pair.margin = "1.5%";
  pair.launch_timeout = Seconds(1560);
  return pair;
}

TEST(TwoBinaries, AreTwoCommandsThatDifferInTheBinaryAlone) {
  const Config config = read_config_text(config_of(sample_pair()), "night.yaml", {});
  ASSERT_TRUE(runs_commands(config));
  ASSERT_EQ(config.arms.size(), 2U);
  EXPECT_EQ(config.arms[0].name, "baseline");
  std::vector<std::string> words = config.arms[0].command.words;
  EXPECT_EQ(words,
            (std::vector<std::string>{
                "mpirun", "--bind-to", "none", "-n", "4", "/opt/old build/traceml-bench", "run",
                "/srv/night.yaml", "--out", "{launch_dir}/run", "--set", "workload.precision=bf16",
                "--set", "measure.launches=10", "--set", "measure.launch=1"}));
  words[5] = "/opt/new/\"quoted\"/traceml-bench";
  EXPECT_EQ(config.arms[1].command.words, words);
}

TEST(TwoBinaries, AreJudgedByTheWallPerStepOfTheArm) {
  const Config config = read_config_text(config_of(sample_pair()), "night.yaml", {});
  EXPECT_EQ(config.arms[1].command.json, "{launch_dir}/run/run.json#/arms/shipped/step_wall_ms");
  ASSERT_EQ(config.gates.size(), 1U);
  EXPECT_EQ(config.gates[0].candidate, "candidate");
  EXPECT_DOUBLE_EQ(config.gates[0].delta, 0.015);
  EXPECT_EQ(config.measure.max_blocks, 10);
  EXPECT_EQ(config.measure.launch_timeout, Seconds(1560));
  EXPECT_EQ(make_plan(config, 1).facts.commands->unit, "ms");
}

// A verdict of a launch on itself is no failure of the launch.
TEST(TwoBinaries, CountLaunchesWhateverTheirOwnGatesSay) {
  const Config config = read_config_text(config_of(sample_pair()), "night.yaml", {});
  for (const char* code : {"0", "10", "11"}) {
    EXPECT_THAT(config.arms[0].command.exit_codes, Contains(code));
  }
  EXPECT_EQ(config.arms[0].command.exit_codes.size(), 3U);
}

}  // namespace
}  // namespace traceml
