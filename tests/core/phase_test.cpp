#include "harness/core/phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace traceml {
namespace {

TEST(Phase, NamesStandInTheOrderOfAStepAsTheClockContractWritesThem) {
  std::vector<std::string_view> names;
  for (const Phase phase : kAllPhases) names.push_back(name_of(phase));
  EXPECT_THAT(names, testing::ElementsAre("input_wait", "decode", "h2d", "normalize", "forward",
                                          "loss", "backward", "optimizer", "traced"));
}

TEST(Phase, AllPhasesAreListedOnceAtTheirIndex) {
  for (std::size_t i = 0; i < kPhaseCount; ++i) EXPECT_EQ(index_of(kAllPhases[i]), i);
  EXPECT_EQ(index_of(Phase::kTraced), kPhaseCount - 1);
}

TEST(Phase, AnyNameGivesItsPhaseBack) {
  for (const Phase phase : kAllPhases) EXPECT_EQ(phase_named(name_of(phase)), phase);
}

TEST(Phase, ATextThatIsNoNameGivesNoPhase) {
  for (const std::string_view text : {"", "Forward", "forward ", "for", "step", "residual"}) {
    EXPECT_EQ(phase_named(text), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace traceml
