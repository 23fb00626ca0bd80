#pragma once

#include "harness/app/ranks.h"
#include "harness/ports/host_clock.h"

namespace traceml {

// Collective. How fast and how right the exchange of each built-in back-end is, as a table on
// standard output by rank 0.
void check_collectives(Ranks& ranks, HostClock& clock);

}  // namespace traceml
