#include "harness/analysis/rank_traces.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "harness/analysis/bus_bandwidth.h"
#include "harness/analysis/collective_pairs.h"
#include "harness/analysis/rank_findings.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

Nanos quantile(std::vector<Nanos> values, double share) {
  std::sort(values.begin(), values.end());
  return nearest_rank(values, share);
}

// What two ranks' collectives say of their clocks.
struct ClockEvidence {
  std::vector<Nanos> ends;  // differences
  std::vector<TimeRange>
      possible;  // of each pair: offsets with which neither left before both came
  Nanos least_wire = Nanos::max();
};

ClockEvidence evidence_of(const std::vector<CollectivePair>& pairs, std::size_t position) {
  ClockEvidence evidence;
  for (const CollectivePair& pair : pairs) {
    const auto &first = pair.spans[0], &own = pair.spans[position];
    if (!first || !own || !is_symmetric(pair.operation)) continue;
    evidence.ends.push_back(own->end - first->end);
    evidence.possible.push_back({own->begin - first->end, own->end - first->begin});
    // Of all ranks: two that both waited for a third were both in it for longer.
    for (const auto& span : pair.spans) {
      if (span) evidence.least_wire = std::min(evidence.least_wire, span->end - span->begin);
    }
  }
  return evidence;
}

RankClock clock_of(const std::vector<CollectivePair>& pairs, std::size_t position, int rank) {
  RankClock clock{rank, Nanos{0}, std::nullopt};
  const ClockEvidence evidence = evidence_of(pairs, position);
  if (position == 0) clock.error = Nanos{0};
  if (position == 0 || evidence.ends.empty()) return clock;
  clock.offset = quantile(evidence.ends, 0.5);
  std::size_t impossible = 0;
  std::vector<Nanos> off;
  for (std::size_t i = 0; i < evidence.ends.size(); ++i) {
    off.push_back(std::chrono::abs(evidence.ends[i] - clock.offset));
    const TimeRange& possible = evidence.possible[i];
    if (clock.offset < possible.begin || clock.offset > possible.end) ++impossible;
  }
  const auto pairs_seen = static_cast<double>(evidence.ends.size());
  if (static_cast<double>(impossible) > (1 - kRules.clock_share) * pairs_seen) return clock;
  clock.error = std::max(quantile(std::move(off), kRules.clock_share), evidence.least_wire);
  return clock;
}

void align(const std::vector<RankClock>& clocks, std::vector<CollectivePair>* pairs) {
  for (CollectivePair& pair : *pairs) {
    for (std::size_t rank = 0; rank < clocks.size(); ++rank) {
      auto& span = pair.spans[rank];
      if (span)
        span = TimeRange{span->begin - clocks[rank].offset, span->end - clocks[rank].offset};
    }
  }
}

// Pairs whose ranks started further apart than anyone waits are of other runs.
std::int64_t drop_absurd(std::vector<CollectivePair>* pairs) {
  const auto is_absurd = [](const CollectivePair& pair) {
    TimeRange starts{Nanos::max(), Nanos::min()};
    for (const auto& span : pair.spans) {
      if (span) starts = {std::min(starts.begin, span->begin), std::max(starts.end, span->begin)};
    }
    return starts.end - starts.begin > kRules.absurd_offset;
  };
  return static_cast<std::int64_t>(std::erase_if(*pairs, is_absurd));
}

// The latest start of a pair, and the one before it.
struct Arrival {
  std::size_t last = 0;
  Nanos latest = Nanos::min(), second = Nanos::min();
};

Arrival arrival_of(const CollectivePair& pair) {
  Arrival arrival;
  for (std::size_t rank = 0; rank < pair.spans.size(); ++rank) {
    if (!pair.spans[rank]) continue;
    const Nanos start = pair.spans[rank]->begin;
    if (start > arrival.latest) {
      arrival.second = arrival.latest;
      arrival.latest = start;
      arrival.last = rank;
    } else {
      arrival.second = std::max(arrival.second, start);
    }
  }
  return arrival;
}

// Later than each other rank by more than both clocks may be off. All have an error.
bool is_beyond_clocks(const CollectivePair& pair, const Arrival& arrival,
                      const std::vector<RankClock>& clocks) {
  for (std::size_t rank = 0; rank < pair.spans.size(); ++rank) {
    if (!pair.spans[rank] || rank == arrival.last) continue;
    const Nanos ahead = arrival.latest - pair.spans[rank]->begin;
    if (ahead <= *clocks[arrival.last].error + *clocks[rank].error) return false;
  }
  return true;
}

std::vector<RankWait> waits_of(const std::vector<CollectivePair>& pairs,
                               const std::vector<RankClock>& clocks) {
  std::vector<RankWait> waits;
  for (const RankClock& clock : clocks) {
    if (!clock.error) return {};
    waits.push_back({clock.rank, Nanos{0}, Nanos{0}, 0});
  }
  for (const CollectivePair& pair : pairs) {
    const Arrival arrival = arrival_of(pair);
    for (std::size_t rank = 0; rank < waits.size(); ++rank) {
      if (pair.spans[rank]) waits[rank].wait += arrival.latest - pair.spans[rank]->begin;
    }
    if (!is_beyond_clocks(pair, arrival, clocks)) continue;
    ++waits[arrival.last].last;
    waits[arrival.last].caused += arrival.latest - arrival.second;
  }
  return waits;
}

// Those of its process group; where that is not told, those that were given.
int ranks_of(const CollectivePair& pair) {
  const auto given = std::count_if(pair.spans.begin(), pair.spans.end(),
                                   [](const auto& span) { return span.has_value(); });
  return pair.group_size.value_or(static_cast<int>(given));
}

OperationFigures figures_of(const std::vector<const CollectivePair*>& pairs) {
  OperationFigures figures;
  figures.operation = pairs.front()->operation;
  figures.bytes = pairs.front()->bytes;
  figures.count = static_cast<std::int64_t>(pairs.size());
  figures.ranks = ranks_of(*pairs.front());
  for (const CollectivePair* pair : pairs) {
    std::optional<Nanos> least;
    TimeRange starts{Nanos::max(), Nanos::min()}, ends = starts;
    for (const auto& span : pair->spans) {
      if (!span) continue;
      const Nanos ran = span->end - span->begin;
      least = least ? std::min(*least, ran) : ran;
      starts = {std::min(starts.begin, span->begin), std::max(starts.end, span->begin)};
      ends = {std::min(ends.begin, span->end), std::max(ends.end, span->end)};
    }
    figures.wire += least.value_or(Nanos{0});
    figures.start_skew += starts.end - starts.begin;
    figures.end_skew += ends.end - ends.begin;
  }
  for (Nanos* sum : {&figures.wire, &figures.start_skew, &figures.end_skew}) *sum /= figures.count;
  if (figures.bytes) {
    figures.bus_gb_per_s =
        bus_bandwidth(figures.operation, *figures.bytes, Seconds(figures.wire), figures.ranks);
  }
  return figures;
}

std::vector<OperationFigures> operations_of(const std::vector<CollectivePair>& pairs) {
  using Kind = std::tuple<std::string, std::optional<std::int64_t>, int>;
  std::map<Kind, std::vector<const CollectivePair*>> kinds;
  for (const CollectivePair& pair : pairs) {
    kinds[{pair.operation, pair.bytes, ranks_of(pair)}].push_back(&pair);
  }
  std::vector<OperationFigures> operations;
  for (const auto& [kind, some] : kinds) operations.push_back(figures_of(some));
  std::stable_sort(operations.begin(), operations.end(), [](const auto& a, const auto& b) {
    return a.wire * a.count > b.wire * b.count;
  });
  return operations;
}

// What a rank's device was there for, mean over ranks: what shares are of.
Nanos mean_span(const std::vector<const Timeline*>& timelines) {
  const auto ranks = static_cast<std::int64_t>(timelines.size());
  Nanos sum{0};
  for (const Timeline* timeline : timelines) {
    TimeRange extent{Nanos::max(), Nanos::min()};
    for (const DeviceSpan& work : timeline->events.device) {
      extent = {std::min(extent.begin, work.start), std::max(extent.end, work.end())};
    }
    if (extent.begin < extent.end) sum += (extent.end - extent.begin) / ranks;
  }
  return sum;
}

}  // namespace

RankTraces explain_ranks(const std::vector<const Timeline*>& timelines,
                         const std::vector<int>& ranks) {
  RankTraces traces;
  CollectivePairs paired = pair_collectives(timelines, ranks);
  traces.pairs = std::move(paired.pairs);
  traces.unmatched = std::move(paired.unmatched);
  for (std::size_t rank = 0; rank < timelines.size(); ++rank) {
    traces.clocks.push_back(clock_of(traces.pairs, rank, ranks[rank]));
  }
  align(traces.clocks, &traces.pairs);
  traces.apart = drop_absurd(&traces.pairs);
  traces.ranks = waits_of(traces.pairs, traces.clocks);
  traces.operations = operations_of(traces.pairs);
  traces.remarks = remarks_of(traces);
  traces.findings = findings_of(traces, mean_span(timelines));
  return traces;
}

}  // namespace traceml
