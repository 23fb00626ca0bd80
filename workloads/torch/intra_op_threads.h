#pragma once

#include <vector>

#include "harness/core/ids.h"
#include "harness/runner/rank_cores.h"

namespace traceml {

// Intra-op threads of rank `self`: `requested`, or for 0 its cores divided by the ranks that share
// any of them, at least 1. Summed over ranks these never exceed the cores, unless ranks do. Throws
// UsageError for a request beyond that share.
int intra_op_threads(int requested, const std::vector<RankCores>& ranks, Rank self);

}  // namespace traceml
