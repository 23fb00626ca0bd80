#include "tests/reports/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace traceml::testing {

void expect_golden(const std::string& name, const std::string& content) {
  const std::string path = std::string(TRACEML_SOURCE_DIR) + "/tests/reports/golden/" + name;
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; UPDATE_GOLDEN=1 writes it";
  std::ostringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(content, wanted.str()) << path << " differs; UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace traceml::testing
