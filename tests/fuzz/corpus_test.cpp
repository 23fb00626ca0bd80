// Every file of the kept corpus, and so every input that once was a crash, in builds without a
// fuzzer too.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace {

std::vector<std::filesystem::path> corpus() {
  const std::filesystem::path folder(TRACEML_CORPUS);
  std::vector<std::filesystem::path> files{std::filesystem::directory_iterator(folder), {}};
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Corpus, IsReadWithoutAFault) {
  ASSERT_FALSE(corpus().empty());
  for (const std::filesystem::path& path : corpus()) {
    SCOPED_TRACE(path.filename().string());
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    const std::string bytes = text.str();
    EXPECT_NO_THROW(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
}

}  // namespace
