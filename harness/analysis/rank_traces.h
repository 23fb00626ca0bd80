#pragma once
// Traces of several ranks of one job together: collectives paired, who waited for whom, and how far
// the ranks' clocks agree. Of a collective: a rank waits from its own start to the latest start;
// wire time is the least duration over ranks, when all were there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/timeline.h"
#include "harness/analysis/trace_report.h"

namespace traceml {

// Against the first rank, from collectives that all ranks leave within its wire time of each other
// (all but broadcast and reduce): the offset is the median difference of their ends, the error what
// kRules.clock_share of them lie within, and never below the shortest wire time, by which all may
// be off alike.
struct RankClock {
  int rank = 0;
  Nanos offset{0};  // this rank's clock minus the first rank's
  // null: no pair, or with that offset too many ranks left a collective before another had come
  std::optional<Nanos> error;
};

// One collective on all ranks of it that were given, on the first rank's clock.
struct CollectivePair {
  std::string operation;
  std::optional<std::int64_t> bytes;
  std::optional<int> group_size;
  std::vector<std::optional<TimeRange>> spans;  // by position of the rank
};

struct UnmatchedCollectives {
  int rank = 0;
  std::string operation;
  std::int64_t count = 0;
};

struct RankWait {
  int rank = 0;
  Nanos wait{0};          // in all paired collectives
  Nanos caused{0};        // where it was last: what the others waited beyond the second last, mean
  std::int64_t last = 0;  // collectives to which it came last by more than both clocks' errors
};

struct OperationFigures {
  std::string operation;
  std::optional<std::int64_t> bytes;
  int ranks = 0;  // of its process group; of those that were given, where it is not told
  std::int64_t count = 0;
  Nanos wire{0}, start_skew{0}, end_skew{0};  // means
  std::optional<double> bus_gb_per_s;         // of `wire`
};

struct RankTraces {
  std::vector<RankClock> clocks;  // in the order of the traces
  std::vector<CollectivePair> pairs;
  std::vector<UnmatchedCollectives> unmatched;
  std::int64_t apart = 0;       // pairs left out: their ranks started over ten minutes apart
  std::vector<RankWait> ranks;  // empty where the clocks are not known
  std::vector<OperationFigures> operations;
  std::vector<std::string> remarks;
  std::vector<TraceFinding> findings;
};

// `ranks` has one entry a timeline. Paired by group and sequence number, else by the nearest end of
// the same operation that overlaps in time; never by the order in the file.
RankTraces explain_ranks(const std::vector<const Timeline*>& timelines,
                         const std::vector<int>& ranks);

}  // namespace traceml
