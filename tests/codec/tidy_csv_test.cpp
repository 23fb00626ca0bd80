#include "harness/codec/tidy_csv.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/codec/raw_files_fixture.h"
#include "tests/reports/golden.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"reference", "shipped", "a \"quoted\", name # with marks"};

// Two ranks; warm-up, a window of each of two arms.
std::string sample_rows(int launch) {
  std::string rows;
  for (int rank = 0; rank < 2; ++rank) {
    RankRecords records;
    records.rank = Rank{rank};
    records.windows = {window_of(1, 0), window_of(2, 3)};
    records.steps = {step_of(1, std::nullopt, 0), step_of(1, 0, 1), step_of(1, 0, 2),
                     step_of(2, 3, 2)};
    rows += tidy_rows(launch, records, kNames);
  }
  return rows;
}

TEST(TidyCsv, LooksLikeItsGoldenFile) {
  expect_golden("tidy/tidy.csv", std::string(tidy_header()) + sample_rows(1) + sample_rows(2));
}

TEST(TidyCsv, KeepsEveryNanosecond) {
  RankRecords records;
  StepRecord step;
  step.phases[index_of(Phase::kForward)] =
      DualTime{Nanos(987'654'321'012'345'678), Nanos(-1'000'001)};
  records.steps = {step};
  const std::string rows = tidy_rows(1, records, kNames);
  EXPECT_THAT(rows, HasSubstr("1,0,reference,,,0,0,forward,host,987654321012.345678\n"));
  EXPECT_THAT(rows, HasSubstr("forward,device,-1.000001\n"));
}

TEST(TidyCsv, HasARowForAMeasuredZeroAndNoneForWhatWasNotMeasured) {
  RankRecords records;
  StepRecord step;
  step.phases[index_of(Phase::kForward)] = DualTime{Nanos(0), std::nullopt};
  step.phases[index_of(Phase::kBackward)] = DualTime{};
  records.steps = {step};
  EXPECT_EQ(tidy_rows(3, records, kNames), "3,0,reference,,,0,0,forward,host,0.000000\n");
}

}  // namespace
}  // namespace traceml::testing
