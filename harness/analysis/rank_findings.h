#pragma once
// From the collectives of several ranks to what may be behind their waits (rank_traces.h).

#include <string>
#include <vector>

#include "harness/analysis/rank_traces.h"

namespace traceml {

// `span` of a rank's device: shares are of it.
std::vector<TraceFinding> findings_of(const RankTraces& traces, Nanos span);

// How far the pairs are to be trusted.
std::vector<std::string> remarks_of(const RankTraces& traces);

}  // namespace traceml
