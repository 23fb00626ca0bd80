// Each config_errors/NAME.yaml is refused with the sentence of config_errors/NAME.txt. After an
// intended change of words, UPDATE_GOLDEN=1 in the environment writes the sentences anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

std::filesystem::path errors_folder() {
  return std::filesystem::path(TRACEML_SOURCE_DIR) / "tests/codec/config_errors";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> hostile_configs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(errors_folder())) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The sentence with which reading or planning ends; fails the test where there is none.
std::string sentence_for(const std::string& name) {
  try {
    const std::string text = bytes_of(errors_folder() / (name + ".yaml"));
    make_plan(read_config_text(text, name + ".yaml", {}), 2);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  ADD_FAILURE() << name << ".yaml was accepted";
  return "";
}

class HostileConfig : public testing::TestWithParam<std::string> {};

TEST_P(HostileConfig, is_refused_with_its_sentence) {
  const std::string sentence = sentence_for(GetParam());
  const auto golden = errors_folder() / (GetParam() + ".txt");
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << sentence << "\n";
  EXPECT_EQ(sentence + "\n", bytes_of(golden));
}

TEST_P(HostileConfig, is_refused_in_one_line_that_opens_with_the_file) {
  const std::string sentence = sentence_for(GetParam());
  EXPECT_EQ(sentence.find('\n'), std::string::npos);
  EXPECT_LT(sentence.size(), 400u);
  EXPECT_EQ(sentence.rfind(GetParam() + ".yaml:", 0), 0u) << sentence;
}

INSTANTIATE_TEST_SUITE_P(ConfigErrors, HostileConfig, testing::ValuesIn(hostile_configs()),
                         [](const auto& tested) { return tested.param; });

TEST(ConfigErrors, have_a_sentence_for_each_file_and_a_file_for_each_sentence) {
  std::size_t sentences = 0;
  for (const auto& entry : std::filesystem::directory_iterator(errors_folder())) {
    if (entry.path().extension() == ".txt") ++sentences;
  }
  EXPECT_EQ(sentences, hostile_configs().size());
  EXPECT_GE(sentences, 40u);
}

}  // namespace
}  // namespace traceml
