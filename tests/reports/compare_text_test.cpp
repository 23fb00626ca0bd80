#include "harness/reports/compare_text.h"

#include <gtest/gtest.h>

#include "harness/codec/stored_run.h"
#include "tests/reports/golden.h"

namespace traceml::testing {
namespace {

std::vector<StoredRun> samples(const std::string& name, std::size_t count, double factor) {
  const std::string path =
      std::string(TRACEML_SOURCE_DIR) + "/tests/codec/traceml/" + name + ".json";
  std::vector<StoredRun> runs;
  for (std::size_t i = 0; i < count; ++i) {
    StoredRun run = read_stored_run(path, "");
    run.label = name + "_" + std::to_string(i + 1) + ".json";
    const double own = factor * (i % 2 == 0 ? 1.002 : 0.999);
    for (auto* side : {&run.step, &run.mean_over_ranks}) {
      if (side->step_cpu) *side->step_cpu *= own;
      if (side->step_gpu) *side->step_gpu *= own;
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

void expect_text(const std::string& name, const std::vector<StoredRun>& baseline,
                 const std::vector<StoredRun>& candidate) {
  const RunSetRule rule;
  const RunSetComparison comparison = compare_run_sets(baseline, candidate, rule);
  const CompareInput input{baseline, candidate, rule, comparison};
  expect_golden("compare/" + name + ".txt", render_compare(input, {100, false}));
  EXPECT_TRUE(render_compare(input, {100, false}).ends_with(render_compare_line(input) + "\n"));
}

TEST(CompareText, OfTwoRunsLooksLikeItsGoldenFile) {
  expect_text("single_run", samples("two_ranks_balanced", 1, 1),
              samples("two_ranks_balanced", 1, 1.1));
}

TEST(CompareText, OfTwoSetsLooksLikeItsGoldenFile) {
  expect_text("slower", samples("single_rank_h200", 7, 1), samples("single_rank_h200", 6, 1.06));
}

TEST(CompareText, OfTwoClocksLooksLikeItsGoldenFile) {
  expect_text("other_clocks", samples("single_rank_h200", 6, 1),
              samples("single_rank_guarded", 6, 1));
}

}  // namespace
}  // namespace traceml::testing
