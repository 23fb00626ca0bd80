#include "harness/analysis/run_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace traceml::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Runs = std::vector<StoredRun>;

StoredRun run_of(double step_ms) {
  StoredRun run;
  run.label = "a.json";
  run.world_size = 2;
  run.step = {Clock::kCpu, step_ms, std::nullopt};
  run.mean_over_ranks = run.step;
  run.phases = {{"forward", step_ms / 4}};
  return run;
}

// Pair sd about 0.4 %.
Runs runs_of(double step_ms, std::size_t count) {
  constexpr std::array<double, 7> kNoise = {0.003, -0.002, 0.004, -0.004, 0.001, -0.003, 0.002};
  Runs runs;
  for (std::size_t i = 0; i < count; ++i) {
    runs.push_back(run_of(step_ms * (1 + kNoise[i % kNoise.size()])));
  }
  return runs;
}

Runs equal_runs(double step_ms, std::size_t count) {
  return Runs(count, run_of(step_ms));
}

RunSetComparison compared(const Runs& baseline, const Runs& candidate) {
  return compare_run_sets(baseline, candidate, {});
}

Reason headline(const RunSetComparison& comparison) {
  EXPECT_EQ(comparison.outcome, Outcome::kInconclusive);
  EXPECT_EQ(exit_code_of(comparison), 11);
  return comparison.findings.at(0).reason;
}

TEST(RunSet, OfSixLaunchesEachWayGetsEveryVerdict) {
  const Runs baseline = equal_runs(10, 6);
  EXPECT_EQ(exit_code_of(compared(baseline, runs_of(10, 6))), 0);
  EXPECT_EQ(exit_code_of(compared(baseline, runs_of(10.5, 6))), 10);
  EXPECT_EQ(headline(compared(baseline, runs_of(10.2, 6))), Reason::kBorderline);
}

TEST(RunSet, JudgesByTheIntervalOfLaunches) {
  const std::array<double, 6> d = {.012, .025, .018, .031, .009, .022};
  Runs candidate;
  for (const double value : d) candidate.push_back(run_of(10 * std::exp(value)));
  const RunSetComparison comparison = compared(equal_runs(10, 6), candidate);
  EXPECT_NEAR(*comparison.theta, .0195, 1e-12);
  // t(.0125, df 5) = 3.16338
  EXPECT_NEAR(*comparison.pair_sd, 0.00821584, 1e-6);
  EXPECT_NEAR(comparison.interval->upper, .0195 + 3.16338 * 0.00821584 / std::sqrt(6), 1e-6);
}

TEST(RunSet, OfOneRunEachWayIsAdvisory) {
  const RunSetComparison comparison = compared({run_of(10)}, {run_of(30)});
  EXPECT_EQ(headline(comparison), Reason::kSingleRun);
  EXPECT_NEAR(*comparison.theta, std::log(3.0), 1e-12);
  EXPECT_FALSE(comparison.interval);
}

TEST(RunSet, OfFivePairsIsTooSmallEvenForADoubling) {
  EXPECT_EQ(headline(compared(equal_runs(10, 5), equal_runs(20, 5))), Reason::kTooFewUnits);
  EXPECT_EQ(headline(compared(equal_runs(10, 1), equal_runs(20, 9))), Reason::kTooFewUnits);
}

TEST(RunSet, LeavesRunsWithoutPartnerOut) {
  const RunSetComparison comparison = compared(equal_runs(10, 6), equal_runs(10, 7));
  EXPECT_EQ(comparison.units, 6U);
  EXPECT_EQ(comparison.outcome, Outcome::kPass);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("no partner")));
}

TEST(RunSet, IsJudgedOnTheDeviceClockOnlyWhereAllRunsHaveIt) {
  Runs baseline = equal_runs(10, 6), candidate = equal_runs(10, 6);
  for (Runs* side : {&baseline, &candidate}) {
    for (StoredRun& run : *side) run.step.step_gpu = side == &baseline ? 8 : 16;
  }
  EXPECT_EQ(compared(baseline, candidate).figure, Figure::kStepGpu);
  EXPECT_EQ(compared(baseline, candidate).outcome, Outcome::kFail);
  candidate[3].step.step_gpu.reset();
  EXPECT_EQ(compared(baseline, candidate).figure, Figure::kStepCpu);
  EXPECT_EQ(compared(baseline, candidate).outcome, Outcome::kPass);
  candidate[3].step.step_cpu.reset();
  EXPECT_EQ(headline(compared(baseline, candidate)), Reason::kNoCommonClock);
}

TEST(RunSet, IsJudgedOnTheWallWhereAllRunsHaveIt) {
  Runs baseline = equal_runs(10, 6), candidate = equal_runs(10, 6);
  for (StoredRun& run : baseline) run.wall_ms = 11;
  for (StoredRun& run : candidate) run.wall_ms = 12;
  const RunSetComparison comparison = compared(baseline, candidate);
  EXPECT_EQ(comparison.figure, Figure::kWall);
  EXPECT_EQ(comparison.outcome, Outcome::kFail);
  EXPECT_THAT(comparison.outside_step, HasSubstr("outside the step"));
}

TEST(RunSet, OfUnequalBatchesComparesImages) {
  Runs baseline = equal_runs(10, 6), candidate = equal_runs(20, 6);
  for (StoredRun& run : baseline) run.global_batch = 8;
  for (StoredRun& run : candidate) run.global_batch = 16;
  const RunSetComparison comparison = compared(baseline, candidate);
  EXPECT_TRUE(comparison.per_image);
  EXPECT_EQ(comparison.outcome, Outcome::kPass);
}

TEST(RunSet, WithATimeThatIsNoneHasNoVerdict) {
  for (const double bad : {double(NAN), double(INFINITY), 0.0, -1.0}) {
    Runs candidate = equal_runs(20, 8);
    candidate[7].step.step_cpu = bad;
    EXPECT_EQ(headline(compared(equal_runs(10, 8), candidate)),
              Reason::kNonfiniteOrNonpositiveTime);
  }
}

TEST(RunSet, TakesWhatForbidsAVerdictFromEveryRun) {
  Runs candidate = equal_runs(20, 6);
  candidate[4].findings.push_back({Reason::kMissingRank, "1 of 2"});
  EXPECT_EQ(headline(compared(equal_runs(10, 6), candidate)), Reason::kMissingRank);
}

TEST(RunSet, OfOtherWorldsDevicesOrWorkloadsHasNoVerdict) {
  Runs candidate = equal_runs(20, 6);
  candidate[0].world_size = 4;
  EXPECT_EQ(headline(compared(equal_runs(10, 6), candidate)), Reason::kFingerprint);
  candidate = equal_runs(20, 6);
  Runs baseline = equal_runs(10, 6);
  baseline[0].device = "cpu";
  EXPECT_EQ(compared(baseline, candidate).outcome, Outcome::kFail);
  candidate[5].device = "cuda";
  EXPECT_EQ(headline(compared(baseline, candidate)), Reason::kFingerprint);
  candidate = equal_runs(20, 6);
  for (StoredRun& run : baseline) run.declared = {{"workload.parameters.batch", "32"}};
  for (StoredRun& run : candidate) run.declared = {{"workload.parameters.batch", "64"}};
  EXPECT_THAT(compared(baseline, candidate).findings.at(0).why, HasSubstr("64 against 32"));
}

TEST(RunSet, ThatCoversOtherStepsOrWarmUpHasNoVerdict) {
  Runs baseline = equal_runs(10, 6), candidate = equal_runs(20, 6);
  for (StoredRun& run : baseline) run.gap_steps = 0;
  for (StoredRun& run : candidate) run.gap_steps = 3;
  EXPECT_EQ(headline(compared(baseline, candidate)), Reason::kPhaseMisaligned);
  for (StoredRun& run : candidate) run.gap_steps = 0;
  for (StoredRun& run : candidate) run.truncated_steps = 7;
  for (StoredRun& run : baseline) run.truncated_steps = 0;
  EXPECT_EQ(headline(compared(baseline, candidate)), Reason::kPhaseMisaligned);
  for (StoredRun& run : baseline) run.truncated_steps = 7;
  EXPECT_EQ(compared(baseline, candidate).outcome, Outcome::kFail);
  for (StoredRun& run : baseline) run.holds_warmup = true;
  EXPECT_EQ(headline(compared(baseline, candidate)), Reason::kPhaseMisaligned);
  for (StoredRun& run : candidate) run.holds_warmup = true;
  EXPECT_EQ(compared(baseline, candidate).outcome, Outcome::kFail);
  EXPECT_THAT(compared(baseline, candidate).notes, Contains(HasSubstr("warm-up")));
}

TEST(RunSet, VoidsPairsOfRunsThatEndedEarly) {
  Runs candidate = equal_runs(10, 8);
  candidate[2].void_reason = "its run ended before its plan";
  candidate[2].step.step_cpu = NAN;
  candidate[2].findings.push_back({Reason::kMissingRank, "1 of 2"});
  const RunSetComparison comparison = compared(equal_runs(10, 8), candidate);
  EXPECT_EQ(comparison.units, 7U);
  EXPECT_EQ(comparison.outcome, Outcome::kPass);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("left out with its partner")));
  candidate[3].void_reason = "the same";
  EXPECT_EQ(headline(compared(equal_runs(10, 8), candidate)), Reason::kTooFewUnits);
  EXPECT_EQ(headline(compared({candidate[2]}, {run_of(10)})), Reason::kSingleRun);
}

TEST(RunSet, ComparesPhasesOnOneSelectedClockAlone) {
  Runs baseline = equal_runs(10, 6), candidate = equal_runs(20, 6);
  const RunSetComparison comparison = compared(baseline, candidate);
  EXPECT_EQ(comparison.phase_clock, Clock::kCpu);
  ASSERT_EQ(comparison.phases.size(), 1U);
  EXPECT_DOUBLE_EQ(comparison.phases[0].candidate_ms, 5);
  candidate[5].step.selected = Clock::kGpu;
  EXPECT_FALSE(compared(baseline, candidate).phase_clock);
  EXPECT_TRUE(compared(baseline, candidate).phases.empty());
  candidate[5].step.selected = Clock::kCpu;
  candidate[5].phases.clear();
  EXPECT_TRUE(compared(baseline, candidate).phases.empty());
}

TEST(RunSet, SaysWhereOneSideRanAfterTheOther) {
  Runs baseline = equal_runs(10, 6), candidate = equal_runs(10, 6);
  for (StoredRun& run : baseline) run.created_utc = "2026-11-29T18:00:00Z";
  for (StoredRun& run : candidate) run.created_utc = "2026-11-29T19:00:00Z";
  EXPECT_THAT(compared(baseline, candidate).notes, Contains(HasSubstr("drifted")));
  candidate[0].created_utc = "2026-11-29T17:00:00Z";
  EXPECT_THAT(compared(baseline, candidate).notes, Not(Contains(HasSubstr("drifted"))));
}

TEST(RunSet, NamesTheSettingsInWhichSidesDiffer) {
  Runs baseline = equal_runs(10, 6), candidate = equal_runs(10, 6);
  for (StoredRun& run : baseline) run.settings = {{"input.workers", "4"}, {"input.dtype", "u8"}};
  for (StoredRun& run : candidate) run.settings = {{"input.workers", "8"}, {"input.dtype", "u8"}};
  EXPECT_THAT(compared(baseline, candidate).differences,
              ::testing::ElementsAre("input.workers: 8 against 4"));
}

}  // namespace
}  // namespace traceml::testing
