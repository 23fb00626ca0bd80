#pragma once

#include <gtest/gtest.h>

#include "harness/backends/cuda/cuda_backend.h"
#include "tests/required_hardware.h"

namespace traceml::testing {

// For tests that need a GPU.
class GpuTest : public ::testing::Test {
 protected:
  // For constructors, which run before SetUp().
  static bool has_gpu() { return find_gpus().why_none.empty(); }

  void SetUp() override { skip_or_fail("gpu", find_gpus().why_none); }
};

}  // namespace traceml::testing
