#pragma once
// For tests that need a GPU: they skip without one and say why. With TRACEML_REQUIRE=gpu in the
// environment a skip is a failure.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "harness/backends/cuda/cuda_backend.h"

namespace traceml::testing {

inline bool gpu_is_required() {
  const char* required = std::getenv("TRACEML_REQUIRE");
  return required != nullptr && std::string_view(required).starts_with("gpu");
}

class GpuTest : public ::testing::Test {
 protected:
  // For constructors, which run before SetUp().
  static bool has_gpu() { return !find_gpus().gpus.empty(); }

  void SetUp() override {
    const GpuSearch search = find_gpus();
    if (!search.gpus.empty()) return;
    if (gpu_is_required()) FAIL() << "TRACEML_REQUIRE=gpu, but " << search.why_none;
    GTEST_SKIP() << search.why_none;
  }
};

}  // namespace traceml::testing
