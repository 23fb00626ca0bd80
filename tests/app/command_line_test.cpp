#include "harness/app/command_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/app/version.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Words = std::vector<std::string>;

// Compares with tests/app/golden/NAME; UPDATE_GOLDEN=1 writes it instead.
void expect_golden(const std::string& name, const std::string& content) {
  const std::string path = std::string(TRACEML_SOURCE_DIR) + "/tests/app/golden/" + name;
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << content;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; UPDATE_GOLDEN=1 writes it";
  std::ostringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(content, wanted.str()) << path << " differs; UPDATE_GOLDEN=1 writes it anew";
}

std::string joined(const Words& words) {
  std::string text = "traceml-bench";
  for (const std::string& word : words) text += " " + (word.empty() ? "\"\"" : word);
  return text;
}

// "$ traceml-bench ...", then the sentence of the error; "(no error)" where there is none.
std::string refused(const Words& words) {
  std::string sentence = "(no error)";
  try {
    parse_command_line(words);
  } catch (const UsageError& error) {
    sentence = error.what();
  }
  return "$ " + joined(words) + "\n" + sentence + "\n";
}

TEST(Help, OfTheProgramAndEachCommandIsGolden) {
  for (const std::string command : {"", "run", "launch", "report", "compare", "baseline", "history",
                                    "selfcheck", "check", "init", "datagen", "doctor", "explain"}) {
    SCOPED_TRACE(command);
    const Words words = command.empty() ? Words{"--help"} : Words{command, "--help"};
    const CommandLine line = parse_command_line(words);
    ASSERT_TRUE(line.text);
    expect_golden("help" + (command.empty() ? "" : "_" + command) + ".txt", *line.text);
  }
}

// A job whose $CONFIG is unset has passed nothing.
TEST(Help, IsNotWhatNoArgumentsMean) {
  EXPECT_THROW(parse_command_line({}), UsageError);
}

TEST(Help, WinsOverAMissingArgument) {
  EXPECT_TRUE(parse_command_line({"run", "-h"}).text);
  EXPECT_FALSE(parse_command_line({"run", "-h"}).run);
}

TEST(Version, IsThatOfTheProject) {
  EXPECT_EQ(parse_command_line({"--version"}).text,
            std::string("traceml-bench ") + kToolVersion + "\n");
}

TEST(Errors, AreGoldenSentences) {
  const std::vector<Words> wrong = {
      {"reprot", "results/latest"},
      {"benchmark"},
      {""},
      {"run"},
      {"report"},
      {"compare", "--baseline", "a.json"},
      {"history"},
      {"history", ""},
      {"history", "results", "--fail"},
      {"report", "results/latest", "--tiddy"},
      {"check"},
      {"datagen"},
      {"--foo"},
      {"a.yaml", "--quite"},
      {"run", "--version"},
      {"a.yaml", "b.yaml"},
      {"doctor", "all"},
      {"baseline"},
      {"baseline", "drop", "store"},
      {"baseline", "add", "store"},
      {"baseline", "list"},
      {"baseline", "list", ""},
      {"baseline", "list", "store", "all"},
      {"baseline", "pin", "store"},
      {"baseline", "pin", "store", "1", "two"},
      {"baseline", "show", "store", "--pin"},
      {"run", "a.yaml", "--set"},
      {"run", "a.yaml", "--out"},
      {"run", "a.yaml", "--out", ""},
      {"run", "a.yaml", "--out", "a", "--out", "b"},
      {"launch", "a.yaml", "--arm", "x"},
      {"launch", "a.yaml", "--candidate-binary", "b", "--max-regression", "2"},
      {"check", "--keys", "a.yaml"},
      {"check", "a.yaml", "-n", "two"},
      {"check", "a.yaml", "-n", "0"},
      {"check", "a.yaml", "--ranks=010"},
      {"check", "a.yaml", "--step-ms", "nan"},
      {"check", "a.yaml", "--step-ms", "-1"},
      {"datagen", "d", "--images", "0"},
      {"datagen", "d", "--images", "1e3"},
      {"datagen", "d", "--long-side", "4"},
      {"datagen", "d", "--seed", "-1"},
      {"datagen", "d", "--seed", "18446744073709551616"},
  };
  std::string all;
  for (const Words& words : wrong) all += refused(words) + "\n";
  EXPECT_EQ(all.find("(no error)"), std::string::npos);
  expect_golden("errors.txt", all);
}

TEST(Run, IsTheDefaultCommand) {
  for (const Words& words : {Words{"a.yaml", "--quiet"}, Words{"run", "a.yaml", "--quiet"},
                             Words{"--quiet", "a.yaml"}}) {
    SCOPED_TRACE(joined(words));
    const CommandLine line = parse_command_line(words);
    ASSERT_TRUE(line.run);
    EXPECT_EQ(line.run->config, "a.yaml");
    EXPECT_TRUE(line.run->quiet);
    EXPECT_FALSE(line.run->require_gates);
    EXPECT_FALSE(line.report || line.check || line.datagen || line.doctor || line.text);
  }
}

TEST(Run, TakesAPathOrAnExistingFileOfAnyNameAsItsConfig) {
  EXPECT_TRUE(parse_command_line({"configs/nowhere"}).run) << "the reader says that it is missing";
  EXPECT_TRUE(parse_command_line({"nowhere.yaml"}).run);
}

TEST(Run, KeepsOverridesAsTheyAreInOrder) {
  const CommandLine line = parse_command_line({"run", "--set", "seed=1", "a.yaml", "--set=seed=2",
                                               "--set", "question=a, b = c", "--set", "seed"});
  ASSERT_TRUE(line.run);
  EXPECT_EQ(line.run->config, "a.yaml");
  EXPECT_EQ(line.run->overrides, (Words{"seed=1", "seed=2", "question=a, b = c", "seed"}))
      << "the config's reader refuses what has no '='";
}

TEST(Report, TakesItsFlags) {
  const CommandLine line = parse_command_line({"report", "results/latest", "--accept-edited"});
  ASSERT_TRUE(line.report);
  EXPECT_EQ(line.report->run_dir, "results/latest");
  EXPECT_TRUE(line.report->accept_edited);
  EXPECT_FALSE(line.report->quiet);
}

TEST(Check, PlansForOneRankUnlessTold) {
  EXPECT_EQ(parse_command_line({"check", "a.yaml"}).check->ranks, 1);
  const CommandLine line =
      parse_command_line({"check", "a.yaml", "-n", "8", "--step-ms", "2.5", "--set", "seed=3"});
  ASSERT_TRUE(line.check);
  EXPECT_EQ(line.check->ranks, 8);
  EXPECT_EQ(line.check->step_ms, 2.5);
  EXPECT_EQ(line.check->overrides, Words{"seed=3"});
  EXPECT_FALSE(line.check->keys);
}

TEST(Check, PrintsKeysWithoutAConfig) {
  const CommandLine line = parse_command_line({"check", "--keys"});
  ASSERT_TRUE(line.check);
  EXPECT_TRUE(line.check->keys);
}

TEST(Datagen, HasTheDefaultsThatItsHelpNames) {
  const CommandLine line = parse_command_line({"datagen", "d"});
  ASSERT_TRUE(line.datagen);
  EXPECT_EQ(line.datagen->classes, 101);
  EXPECT_EQ(line.datagen->images, 1000);
  EXPECT_EQ(line.datagen->test_images, std::nullopt);
  EXPECT_EQ(line.datagen->long_side, 512);
  EXPECT_EQ(line.datagen->seed, 0u);
}

TEST(Datagen, TakesEveryNumber) {
  const CommandLine line =
      parse_command_line({"datagen", "d", "--classes", "3", "--images", "60", "--test-images", "0",
                          "--long-side", "64", "--seed", "18446744073709551615"});
  ASSERT_TRUE(line.datagen);
  EXPECT_EQ(line.datagen->classes, 3);
  EXPECT_EQ(line.datagen->images, 60);
  EXPECT_EQ(line.datagen->test_images, 0);
  EXPECT_EQ(line.datagen->long_side, 64);
  EXPECT_EQ(line.datagen->seed, 18446744073709551615u);
}

TEST(Baseline, TakesAnActionAndItsStore) {
  CommandLine line = parse_command_line({"baseline", "add", "store", "out"});
  ASSERT_TRUE(line.baseline);
  EXPECT_EQ(line.baseline->action, BaselineAction::kAdd);
  EXPECT_EQ(line.baseline->dir, "store");
  EXPECT_EQ(line.baseline->run_dir, "out");
  line = parse_command_line({"baseline", "pin", "store", "1", "2", "13"});
  EXPECT_EQ(line.baseline->action, BaselineAction::kPin);
  EXPECT_EQ(line.baseline->campaigns, (std::vector<int>{1, 2, 13}));
  EXPECT_EQ(parse_command_line({"baseline", "list", "store"}).baseline->action,
            BaselineAction::kList);
  EXPECT_EQ(parse_command_line({"baseline", "show", "store"}).baseline->action,
            BaselineAction::kShow);
  EXPECT_TRUE(parse_command_line({"baseline", "pin", "--help"}).text);
}

TEST(Doctor, TakesADataSet) {
  EXPECT_EQ(parse_command_line({"doctor"}).doctor->dataset, "");
  EXPECT_EQ(parse_command_line({"doctor", "--dataset", "d"}).doctor->dataset, "d");
}

TEST(Doctor, TriesCollectivesWhereAskedTo) {
  EXPECT_FALSE(parse_command_line({"doctor"}).doctor->collectives);
  EXPECT_TRUE(parse_command_line({"doctor", "--collectives"}).doctor->collectives);
}

}  // namespace
}  // namespace traceml
