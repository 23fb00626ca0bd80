#include <gtest/gtest.h>

#include "harness/backends/cupti/cupti_backend.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

TEST(CuptiAbsent, TheOptionIsNamed) {
  EXPECT_FALSE(cupti_built());
  try {
    make_cupti_trace();
    FAIL();
  } catch (const NotBuilt& error) {
    EXPECT_STREQ(error.what(),
                 "activity tracing is not built into this binary; configure with "
                 "-DTRACEML_WITH_CUPTI=ON");
  }
}

}  // namespace
}  // namespace traceml
