#include "harness/plan/config_keys.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace traceml {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ConfigKeys, read_back_the_canonical_text_of_their_defaults) {
  const Config defaults;
  for (const ConfigKey& key : config_keys()) {
    Config config;
    EXPECT_EQ(key.set(config, key.get(defaults)).value_or(""), "") << key.path;
    EXPECT_EQ(config, defaults) << key.path;
  }
}

TEST(ConfigKeys, have_paths_of_their_own_and_a_help_text) {
  std::set<std::string> paths;
  for (const ConfigKey& key : config_keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_FALSE(key.help.empty()) << key.path;
    EXPECT_FALSE(key.form.empty()) << key.path;
  }
}

TEST(ConfigKeys, refuse_text_that_is_no_value_and_leave_the_config_alone) {
  for (const ConfigKey& key : config_keys()) {
    Config config;
    EXPECT_TRUE(key.set(config, "\x01")) << key.path;
    EXPECT_EQ(config, Config{}) << key.path;
  }
}

TEST(ConfigKeys, of_the_process_and_of_the_run_cannot_be_set_in_an_arm) {
  const Config config;
  for (const ConfigKey& key : config_keys()) {
    ArmConfig arm = make_arm(config, "a");
    const auto fault = set_in_arm(config, &arm, key, key.get(config));
    EXPECT_EQ(!fault, key.scope == KeyScope::kArm) << key.path;
    EXPECT_EQ(arm.overridden.contains(key.path), key.scope == KeyScope::kArm) << key.path;
  }
}

TEST(ConfigKeys, that_an_arm_sets_change_that_arm) {
  Config config;
  config.seed = 5;
  ArmConfig arm = make_arm(config, "a");
  EXPECT_FALSE(set_in_arm(config, &arm, *find_config_key("input.workers"), "9"));
  EXPECT_FALSE(set_in_arm(config, &arm, *find_config_key("measure.instrument"), "none"));
  EXPECT_EQ(arm.input.workers, 9);
  EXPECT_EQ(arm.instrument, Instrument::kNone);
  EXPECT_EQ(config.input.workers, 4);
  EXPECT_EQ(text_of(seen_by(config, arm), "input.workers"), "9");
  EXPECT_EQ(text_of(seen_by(config, arm), "seed"), "5");
}

TEST(ConfigKeyHint, looks_in_the_same_group_first_and_then_anywhere) {
  EXPECT_EQ(config_key_hint("input.wrokers"), "; did you mean 'workers'?");
  EXPECT_EQ(config_key_hint("wrokload"), "; did you mean 'workload'?");
  EXPECT_EQ(config_key_hint("momentum"), "; did you mean 'workload.optimizer.momentum'?");
  EXPECT_EQ(config_key_hint("require.zzz"), "; known: device, ranks");
}

TEST(KeyReference, stands_in_the_docs_word_for_word) {
  const std::string path = TRACEML_SOURCE_DIR "/docs/config.md";
  const std::string page = text_of_file(path);
  const std::string opening = "```text\n";
  const std::string list = opening + key_reference() + "```\n";
  const std::string before = page.substr(0, page.find(opening));
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << before << list;
  EXPECT_EQ(text_of_file(path), before + list);
}

}  // namespace
}  // namespace traceml
