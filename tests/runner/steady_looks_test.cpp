// What a run decides at its looks is what the stored records say, blocks that wait for steady
// windows included.

#include <random>

#include "harness/analysis/campaign.h"
#include "tests/runner/rank_program_fixture.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

constexpr int kWarmUp = 3 * 3;  // steps of all arms
constexpr int kWindow = 2 + 4;  // steps, settling ones first: thirds of one step
constexpr int kMostWindows = 60;

class SteadyLooksTest : public RankProgramTest {
 protected:
  // shipped against reference, equal arms. `delays(rank, window, step)` counts timed steps.
  void run_with(const std::function<Nanos(int rank, int window, int step)>& delays) {
    plan_.facts.looks = {6, 10, 14, 20};
    plan_.facts.max_blocks = 20;
    GateSpec gate;
    gate.name = "shipped against reference";
    gate.candidate = ArmIndex{1};
    gate.baseline = ArmIndex{0};
    gate.delta = 0.10;
    plan_.facts.gates = {gate};
    for (int rank = 0; rank < 2; ++rank) {
      for (int window = 0; window < kMostWindows; ++window) {
        for (int step = 0; step < 4; ++step) {
          const Nanos delay = delays(rank, window, step);
          workload(rank).on("forward", kWarmUp + kWindow * window + 2 + step,
                            [this, rank, delay] { at(rank).clock.advance(delay); });
        }
      }
    }
    run();
  }

  CampaignSummary replayed() const {
    return summarize_campaign(plan_.facts, {records_of(0), records_of(1)});
  }
};

// Rank 1 alone is slow, in the first step of each window of the first six blocks and in the last of
// later ones, in which the bare arm has left.
TEST_F(SteadyLooksTest, HealsAtTheSecondLookByTheStepsOfAnotherRank) {
  run_with([](int rank, int window, int step) {
    return rank == 1 && step == (window < 18 ? 0 : 3) ? Nanos(100us) : Nanos(0);
  });
  EXPECT_EQ(at(0).outcome.blocks, 10);
  EXPECT_EQ(at(1).outcome.blocks, 10);
  EXPECT_TRUE(at(1).outcome.finished);
  const CampaignSummary summary = replayed();
  EXPECT_EQ(summary.gates[0].look, 10);
  EXPECT_EQ(summary.gates[0].outcome, Outcome::kPass);
  EXPECT_EQ(summary.exit_code, 0);
}

TEST_F(SteadyLooksTest, RunsToTheLastLookWhereTheWindowsAreNeverSteady) {
  run_with([](int, int, int step) { return step == 0 ? Nanos(100us) : Nanos(0); });
  EXPECT_EQ(at(0).outcome.blocks, 20);
  EXPECT_TRUE(at(0).outcome.finished);
  EXPECT_EQ(replayed().reason, Reason::kNotSteady);
  EXPECT_EQ(replayed().exit_code, 11);
}

TEST_F(SteadyLooksTest, NamesNotSteadyWhereTheTimeLimitEndsARunThatWaits) {
  workload(0).on("end", 3 + 6 * 3 + 2, [this] { at(0).clock.advance(1h); });
  plan_.config.measure.time_limit = Seconds(3600);
  run_with([](int, int, int step) { return step == 0 ? Nanos(100us) : Nanos(0); });
  EXPECT_FALSE(at(0).outcome.finished);
  EXPECT_EQ(at(0).outcome.blocks, 7);
  EXPECT_EQ(replayed().reason, Reason::kNotSteady);
  EXPECT_EQ(replayed().gates[0].blocks, 6);
}

// Each window's first step is slower by about half the margin, so that looks are flagged, heal and
// do not.
TEST_F(SteadyLooksTest, EndsWhereTheReplayOfItsFilesDoes) {
  std::map<std::pair<int, bool>, int> ends;  // blocks, and whether the flag was up at the end
  int waited = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    set_ranks(2);
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 60'000);
    const std::int64_t drift = 40'000 + 6'000 * (seed % 3);
    run_with([&](int, int, int step) {
      const auto own = static_cast<std::int64_t>(std::abs(noise(random)));
      return Nanos(own + (step == 0 ? drift : 0));
    });
    const CampaignSummary summary = replayed();
    const GateResult& gate = summary.gates[0];
    const int end = gate.look > 0 ? gate.look : 20;
    ASSERT_EQ(at(0).outcome.blocks, end) << "seed " << seed;
    ASSERT_EQ(summary.blocks, end) << "seed " << seed;
    ++ends[{end, gate.reason == Reason::kNotSteady}];
    for (const std::string& warning : summary.warnings)
      waited += warning.find("waited") != std::string::npos;
  }
  for (const auto& [end, count] : ends) {
    std::printf("%d blocks%s: %d\n", end.first, end.second ? ", not steady" : "", count);
  }
  EXPECT_GE(ends.size(), 3u);
  EXPECT_GE(waited, 3);
}

}  // namespace
}  // namespace traceml
