#include "harness/reports/github.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "tests/reports/golden.h"
#include "tests/reports/sample_input.h"

namespace traceml::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> commands_of(const Sample& sample) {
  std::istringstream lines(render_github_annotations(input_of(sample)));
  std::vector<std::string> commands;
  for (std::string line; std::getline(lines, line);) commands.push_back(line);
  return commands;
}

class EveryAnnotation : public ::testing::TestWithParam<NamedSample> {};

TEST_P(EveryAnnotation, LooksLikeItsGoldenFile) {
  expect_golden(GetParam().name + "/github.txt",
                render_github_annotations(input_of(GetParam().make())));
}

TEST_P(EveryAnnotation, IsOneCommandALineWithNothingLeftToEscape) {
  for (const std::string& line : commands_of(GetParam().make())) {
    const std::size_t title = line.find(" title=");
    const std::size_t message = line.find("::", title);
    ASSERT_NE(message, std::string::npos) << line;
    EXPECT_THAT(line.substr(0, title), ::testing::AnyOf("::error", "::warning", "::notice"));
    const std::string property = line.substr(title + 7, message - title - 7);
    EXPECT_EQ(property.find_first_of(":,"), std::string::npos) << property;
    for (std::size_t at = line.find('%'); at != std::string::npos; at = line.find('%', at + 1)) {
      EXPECT_THAT(line.substr(at, 3), ::testing::AnyOf("%25", "%0A", "%3A", "%2C")) << line;
    }
    EXPECT_THAT(line, Not(HasSubstr("/home/")));
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryAnnotation, ::testing::ValuesIn(all_samples()),
                         [](const auto& test) { return test.param.name; });

TEST(Annotations, AreForGatesThatAReaderMustSee) {
  EXPECT_THAT(commands_of(passed_run()), ElementsAre());
  EXPECT_THAT(commands_of(failed_run()),
              ElementsAre(StartsWith("::error title=food101-resnet18%3A FAIL deeper against "
                                     "shipped::+3.1 %25 wall per step [+2.4, +3.8], allows < 2 "
                                     "%25, 10 blocks%0Awhere: input_wait")));
}

TEST(Annotations, SayWhatNoVerdictCountsAs) {
  Sample sample = inconclusive_run();  // its second gate says `inconclusive: pass`
  EXPECT_THAT(commands_of(sample), ElementsAre(StartsWith("::warning title=food101-resnet18%3A "
                                                          "INCONCLUSIVE shipped against"),
                                               StartsWith("::notice title=")));
  sample.gate(0).spec.inconclusive_fails = true;
  EXPECT_THAT(commands_of(sample).front(), StartsWith("::error title="));
}

TEST(Annotations, TellOfARunThatFailed) {
  EXPECT_THAT(commands_of(run_with_missing_rank()).front(),
              StartsWith("::error title=food101-resnet18%3A RUN FAILED::rank 1 failed in arm "
                         "shipped, window 7"));
}

}  // namespace
}  // namespace traceml::testing
