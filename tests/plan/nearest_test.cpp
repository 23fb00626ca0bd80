#include "harness/plan/nearest.h"

#include <gtest/gtest.h>

namespace traceml {
namespace {

const std::vector<std::string> kKeys = {"workers", "prefetch", "dtype", "on", "lr"};

TEST(DidYouMean, finds_swaps_losses_and_replacements) {
  EXPECT_EQ(did_you_mean("wrokers", kKeys), "; did you mean 'workers'?");
  EXPECT_EQ(did_you_mean("worker", kKeys), "; did you mean 'workers'?");
  EXPECT_EQ(did_you_mean("prefatch", kKeys), "; did you mean 'prefetch'?");
  EXPECT_EQ(did_you_mean("dtypes", kKeys), "; did you mean 'dtype'?");
}

TEST(DidYouMean, lists_what_there_is_where_nothing_is_near) {
  EXPECT_EQ(did_you_mean("augment", kKeys), "; known: workers, prefetch, dtype, on, lr");
  EXPECT_EQ(did_you_mean("x", kKeys), "; known: workers, prefetch, dtype, on, lr");
  EXPECT_EQ(did_you_mean("", kKeys), "; known: workers, prefetch, dtype, on, lr");
  EXPECT_EQ(did_you_mean(std::string(1'000'000, 'w'), kKeys),
            "; known: workers, prefetch, dtype, on, lr");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Shown, escapes_control_characters_and_cuts_between_characters) {
  EXPECT_EQ(shown("a\x1b[31m\n"), "'a\\x1b[31m\\x0a'");
  EXPECT_EQ(shown(std::string(59, 'x') + "ü" + "y"), "'" + std::string(59, 'x') + "...'");
  EXPECT_EQ(shown(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
}

}  // namespace
}  // namespace traceml
