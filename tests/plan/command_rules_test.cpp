#include "harness/plan/command_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/plan/command_keys.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/plan_text.h"

namespace traceml {
namespace {

Config two_commands() {
  Config config;
  config.name = "overhead";
  config.question = "What does the tracer cost?";
  config.seed = 3;
  config.command.words = {"python3", "loop.py", "--name=a b"};
  config.command.regex = "step_ms: ([0-9.]+)";
  for (const char* name : {"bare", "traced"}) config.arms.push_back(make_arm(config, name));
  config.arms[1].command.words = {"traceml", "run", "loop.py"};
  config.arms[1].command.environment = {"OMP_NUM_THREADS=1"};
  config.arms[1].command.working_directory = "jobs";
  GateConfig gate;
  gate.candidate = "traced";
  gate.baseline = "bare";
  gate.delta = 0;
  config.gates.push_back(gate);
  return config;
}

TEST(Words, come_back_from_their_text_whatever_they_hold) {
  const auto form = words_form();
  const std::vector<std::string> words = {"",     " a ", "a, b]", "\"quoted\"", "back\\slash",
                                          "\n\t", "ü",   "#no",   "{port}",     "\x01"};
  EXPECT_EQ(*form.read(form.print(words)).value, words);
  EXPECT_EQ(*form.read("[]").value, std::vector<std::string>{});
  EXPECT_EQ(*form.read("[ls, -l , \"a b\"]").value, (std::vector<std::string>{"ls", "-l", "a b"}));
}

TEST(Words, that_are_no_list_are_refused) {
  for (const char* text : {"", "ls", "[ls", "ls]", "[a,]", "[,a]", "[a]b", "[\"a]", "[[a]]",
                           "[\"\\q\"]", "[\"\\u00\"]", "[a b\"c\"]", "[{a}]"}) {
    EXPECT_FALSE(words_form().read(text).value) << text;
  }
}

TEST(CommandLine, can_be_typed_into_a_shell) {
  CommandConfig command;
  command.words = {"sh", "-c", "echo $HOME; it's", "", "--name=x"};
  EXPECT_EQ(command_line_of(command), "sh -c 'echo $HOME; it'\\''s' '' --name=x");
}

TEST(CommandPlan, judges_launches_without_the_allowance_for_one_launch) {
  const Plan plan = make_plan(two_commands(), 1);
  ASSERT_TRUE(plan.facts.commands);
  EXPECT_EQ(plan.facts.commands->unit, "ms");
  EXPECT_EQ(plan.facts.interaction_sd, 0);
  EXPECT_EQ(plan.facts.steps_per_window, 1);
  EXPECT_EQ(plan.facts.gates.at(0).delta, 0);  // "any proven slowdown fails" can be judged
  EXPECT_EQ(plan.facts.arms.at(0).global_batch, 0);
  EXPECT_EQ(plan.facts.arms.at(0).instrument, Instrument::kNone);
}

TEST(CommandPlan, lists_the_keys_of_commands_as_settings_and_no_others) {
  const Plan plan = make_plan(two_commands(), 1);
  for (const auto& [key, value] : plan.facts.arms.at(0).settings) EXPECT_TRUE(is_command_key(key));
  EXPECT_FALSE(plan.facts.arms.at(0).settings.empty());
}

TEST(CommandPlan, has_the_text_of_its_golden_file) {
  const std::string path = TRACEML_SOURCE_DIR "/tests/plan/golden/check_commands.txt";
  const std::string text = plan_text(make_plan(two_commands(), 1), Millis(30000));
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str());
}

}  // namespace
}  // namespace traceml
