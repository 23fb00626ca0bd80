#include "harness/core/error.h"

#include <gtest/gtest.h>

#include <string>

namespace traceml {
namespace {

TEST(ExitCode, ValuesAreThoseThatScriptsRelyOn) {
  EXPECT_EQ(value_of(ExitCode::kPass), 0);
  EXPECT_EQ(value_of(ExitCode::kUsage), 2);
  EXPECT_EQ(value_of(ExitCode::kRunFailed), 4);
  EXPECT_EQ(value_of(ExitCode::kRegression), 10);
  EXPECT_EQ(value_of(ExitCode::kInconclusive), 11);
}

// What main() does: catch the base class, print the sentence, return the code.
template <class Thrown>
std::string caught_as_error(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (const Error& error) {
    return std::to_string(value_of(error.code())) + ": " + error.what();
  }
}

TEST(Error, AnyKindIsCaughtAsErrorWithItsCodeAndSentence) {
  EXPECT_EQ(caught_as_error(UsageError("no such key")), "2: no such key");
  EXPECT_EQ(caught_as_error(RunError("rank 1 threw")), "4: rank 1 threw");
}

TEST(Error, WhatIsNotBuiltIsAUsageErrorThatNamesTheOption) {
  EXPECT_EQ(caught_as_error(NotBuilt("MPI", "TRACEML_WITH_MPI")),
            "2: MPI is not built into this binary; configure with -DTRACEML_WITH_MPI=ON");
}

}  // namespace
}  // namespace traceml
