#pragma once

#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/ports/transport.h"

namespace traceml {

// Where a rank may run.
struct RankCores {
  std::string node;        // equal for ranks of one machine
  std::vector<int> cores;  // of its affinity mask, ascending
};

// The cores of this process's affinity mask. Throws RunError if the system does not say.
RankCores cores_of_this_process();

// The cores of every rank, in rank order, the same on all ranks. Collective.
std::vector<RankCores> gather_cores(Transport& transport);

// Intra-op threads of rank `self`: `requested`, or for 0 its cores divided by the ranks that share
// any of them, at least 1. Summed over ranks these never exceed the cores, unless ranks do. Throws
// UsageError for a request beyond that share.
int intra_op_threads(int requested, const std::vector<RankCores>& ranks, Rank self);

}  // namespace traceml
