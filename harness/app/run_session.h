#pragma once
// One run from its config to its reports, on ranks that have met.

#include "harness/app/command_line.h"
#include "harness/app/ranks.h"
#include "harness/ports/host_clock.h"
#include "harness/runner/run_watch.h"

namespace traceml {

// Collective. Returns the exit code, equal on all ranks. Throws AgreedError, on all ranks, for what
// they found together: a bad config, a folder that holds something; other errors are one rank's.
// `clock` is real time.
int run_session(Ranks& ranks, RunWatch& watch, HostClock& clock, const RunArguments& arguments);

}  // namespace traceml
