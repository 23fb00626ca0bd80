#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "workloads/gpu_input/gpu_batches.h"

namespace traceml {
namespace {

TEST(GpuDecodingThatIsNotBuilt, NamesTheOptionThatBringsIt) {
  const std::string sentence =
      "decoding on a GPU is not built into this binary; configure with -DTRACEML_WITH_CUDA=ON";
  EXPECT_EQ(find_gpu_decoding(0).why_none, sentence);
  try {
    make_gpu_batches({}, {}, 0, Rank{0}, 1, nullptr, {});
    FAIL() << "batches of nothing";
  } catch (const NotBuilt& error) {
    EXPECT_EQ(error.what(), sentence);
    EXPECT_EQ(error.code(), ExitCode::kUsage);
  }
}

}  // namespace
}  // namespace traceml
