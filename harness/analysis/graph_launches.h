#pragma once

#include <cstdint>

#include "harness/analysis/timeline.h"

namespace traceml {

struct GraphLaunches {
  std::int64_t launches = 0;  // of captured graphs that left device work
  std::int64_t partial = 0;   // of them: with fewer nodes than other launches of the graph show
};

// Which launches belong to one graph is told by the ids of their nodes; without ids none is
// partial.
GraphLaunches count_graph_launches(const Timeline& timeline);

}  // namespace traceml
