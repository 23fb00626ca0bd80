#include "harness/analysis/rank_findings.h"

#include <algorithm>

#include "harness/analysis/quantiles.h"
#include "harness/analysis/text.h"
#include "harness/analysis/time_ranges.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

// Last in so many collectives that chance does not do it.
bool is_slow(const RankWait& rank, std::int64_t pairs, std::size_t ranks, Nanos span) {
  const auto count = static_cast<double>(ranks);
  if (share_of(rank.caused, span) < kRules.wait_share) return false;
  if (static_cast<double>(rank.last) < kRules.last_share * static_cast<double>(pairs)) return false;
  return binomial_upper_tail(pairs, rank.last, 1 / count) < kRules.chance / count;
}

}  // namespace

std::vector<TraceFinding> findings_of(const RankTraces& traces, Nanos span) {
  std::vector<TraceFinding> findings;
  const auto pairs = static_cast<std::int64_t>(traces.pairs.size());
  for (const RankWait& rank : traces.ranks) {
    if (!is_slow(rank, pairs, traces.ranks.size(), span)) continue;
    const std::string name = "rank " + std::to_string(rank.rank);
    findings.push_back(
        {"slow_rank", share_of(rank.caused, span),
         name + " came last to " + std::to_string(rank.last) + " of " + std::to_string(pairs) +
             " collectives, and the others waited " + in_ms(rank.caused) + " (" +
             percent(share_of(rank.caused, span)) + " of the span) for it",
         name + " has more to do, a slower device or a slower host",
         "its own findings above, beside another rank's; its device's clocks; ranks exchanged "
         "between machines"});
  }
  if (!findings.empty() || traces.ranks.empty()) return findings;
  Nanos wait{0};
  for (const RankWait& rank : traces.ranks) wait += rank.wait;
  wait /= static_cast<std::int64_t>(traces.ranks.size());
  if (share_of(wait, span) < kRules.skew_share) return findings;
  findings.push_back(
      {"collective_skew", share_of(wait, span),
       "a rank waited " + in_ms(wait) + " (" + percent(share_of(wait, span)) +
           " of the span) in collectives for later ones, mean over ranks; no rank is always last",
       "steps differ in length between ranks: input, sequence lengths, interruptions of the host",
       "the ranks' late_batch and silent_thread findings; batches of equal size"});
  return findings;
}

std::vector<std::string> remarks_of(const RankTraces& traces) {
  std::vector<std::string> remarks;
  if (traces.pairs.empty()) {
    remarks.push_back("no collective is in all of these traces: nothing is known across ranks");
  }
  for (const RankClock& clock : traces.clocks) {
    if (clock.error || traces.pairs.empty()) continue;
    remarks.push_back("the collectives of rank " + std::to_string(clock.rank) +
                      " contradict each other about its clock, which drifts or was set, or belong "
                      "to other steps: no waits are given");
  }
  if (traces.apart > 0) {
    remarks.push_back(std::to_string(traces.apart) +
                      " pairs of collectives whose ranks started more than ten minutes apart; left "
                      "out: are these traces of one run?");
  }
  for (const UnmatchedCollectives& one : traces.unmatched) {
    remarks.push_back("rank " + std::to_string(one.rank) + ": " + std::to_string(one.count) + " " +
                      one.operation + " without a match on the other ranks; left out");
  }
  return remarks;
}

}  // namespace traceml
