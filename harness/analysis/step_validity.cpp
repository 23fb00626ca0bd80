#include <cmath>

#include "harness/analysis/launch_pool.h"
#include "harness/analysis/steadiness.h"
#include "harness/analysis/text.h"
#include "harness/analysis/validity.h"

namespace traceml {

namespace {

using std::to_string;

constexpr double kReferenceWait = 0.01;  // of the step

// The rank whose input wait is the largest share of its step.
struct WaitShare {
  Rank rank;
  double share = 0;
};

std::optional<WaitShare> largest_wait_share(const ArmAnalysis& arm) {
  std::optional<WaitShare> largest;
  if (!arm.summary.clock || !arm.figures.missing.empty()) return std::nullopt;
  for (const RankWindow& rank : arm.figures.ranks) {
    const auto wait = figure_of(rank.figures, Phase::kInputWait, *arm.summary.clock);
    const auto step = step_of(rank.figures, *arm.summary.clock);
    if (!wait || !step || step->count() <= 0) return std::nullopt;
    const double share = *wait / *step;
    if (!largest || share > largest->share) largest = WaitShare{rank.rank, share};
  }
  return largest;
}

}  // namespace

std::optional<Finding> reference_finding(const CampaignFacts& facts, const GateSpec& gate,
                                         const ArmAnalysis& reference) {
  if (gate.kind != GateKind::kMinFraction || reference.summary.windows == 0) return std::nullopt;
  const std::string& name = facts.arms[static_cast<std::size_t>(gate.baseline.value)].name;
  const std::optional<WaitShare> wait = largest_wait_share(reference);
  if (!wait) {
    return Finding{Reason::kReferenceUnchecked,
                   "no instrumented window of " + name +
                       " shows that it did not wait for input; set measure.instrument for it"};
  }
  if (wait->share <= kReferenceWait) return std::nullopt;
  return Finding{Reason::kReferenceInvalid, name + " itself waited for input for " +
                                                percent(wait->share) + " of its step on rank " +
                                                to_string(wait->rank.value) +
                                                " (1 % at most), so it is no input-free reference"};
}

std::optional<Finding> steadiness_finding(const CampaignFacts& facts, const GateSpec& gate,
                                          std::span<const WindowSeries> candidate,
                                          std::span<const WindowSeries> baseline) {
  const std::int64_t per_launch = facts.pooled ? windows_per_launch(facts) : 0;
  const auto steady = steadiness_of(candidate, baseline, facts.period, per_launch);
  if (!steady || !steady->flagged(gate.delta)) return std::nullopt;
  return Finding{Reason::kNotSteady, "the first third of a window differs from its last by " +
                                         signed_percent(std::expm1(steady->mean)) + " over " +
                                         to_string(steady->units) +
                                         (facts.pooled ? " launches (t = " : " windows (t = ") +
                                         to_string(steady->t).substr(0, 5) +
                                         "), more than half the margin: warm up longer"};
}

}  // namespace traceml
