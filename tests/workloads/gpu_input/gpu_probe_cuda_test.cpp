// What looking for a decoder leaves behind. Each question is asked in a process of its own: a
// context stays as long as its process.

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

#include "tests/gpu_test.h"
#include "workloads/gpu_input/cuda_memory.h"
#include "workloads/gpu_input/gpu_batches.h"

namespace traceml {
namespace {

// Of this process; asks the driver, which makes none to answer.
bool has_context(int gpu) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) throw std::runtime_error("libcuda.so.1 cannot be loaded");
  const auto state =
      reinterpret_cast<int (*)(int, unsigned*, int*)>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int active = -1;
  if (state == nullptr || state(gpu, &flags, &active) != 0) {
    throw std::runtime_error("the driver does not tell of contexts");
  }
  return active != 0;
}

class LookingForADecoder : public testing::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  static int gpus() { return static_cast<int>(find_gpus().gpus.size()); }

  // In a new process, in which no GPU is current. `wrong` says what is wrong; empty: nothing is.
  static void expect_in_new_process(const std::function<std::string()>& wrong) {
    const auto ask = [&] {
      const std::string sentence = wrong();
      std::fprintf(stderr, "%s\n", sentence.c_str());
      std::fflush(stderr);
      std::_Exit(sentence.empty() ? 0 : 1);
    };
    EXPECT_EXIT(ask(), ::testing::ExitedWithCode(0), "");
  }
};

TEST_F(LookingForADecoder, MakesAContextOnTheGpuThatIsAskedForAlone) {
  expect_in_new_process([]() -> std::string {
    const int last = gpus() - 1;
    for (int gpu = 0; gpu <= last; ++gpu) {
      if (has_context(gpu)) return "find_gpus() makes a context on GPU " + std::to_string(gpu);
    }
    const GpuDecoding found = find_gpu_decoding(last);
    if (!found.why_none.empty() && found.why_none.find("nvJPEG") == std::string::npos) {
      return found.why_none;
    }
    if (!has_context(last)) return "the driver knows nothing of the context that was made";
    for (int gpu = 0; gpu < last; ++gpu) {
      if (has_context(gpu)) return "a context was left on GPU " + std::to_string(gpu);
    }
    return "";
  });
}

TEST_F(LookingForADecoder, OnAGpuThatIsNotThereMakesNoContextAndSaysWhy) {
  expect_in_new_process([]() -> std::string {
    const int count = gpus();
    const GpuDecoding found = find_gpu_decoding(count);
    if (found.why_none.find("cudaErrorInvalidDevice") == std::string::npos) {
      return "no sentence but '" + found.why_none + "'";
    }
    for (int gpu = 0; gpu < count; ++gpu) {
      if (has_context(gpu)) return "a context was made on GPU " + std::to_string(gpu);
    }
    return "";
  });
}

TEST_F(LookingForADecoder, LeavesTheCallersGpuCurrent) {
  expect_in_new_process([]() -> std::string {
    const int last = gpus() - 1;
    check_cuda(cudaSetDevice(last));
    for (const int asked : {0, last, last + 1}) {
      static_cast<void>(find_gpu_decoding(asked));
      int current = -1;
      check_cuda(cudaGetDevice(&current));
      if (current != last) return "GPU " + std::to_string(current) + " is current";
    }
    return "";
  });
}

}  // namespace
}  // namespace traceml
