#pragma once
// Traces of our own runs: Chrome JSON of the form that torch.profiler writes (kineto_trace.h reads
// both), with the loader's batches and counters beside it. docs/explain.md has the form.

#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/run_trace.h"

namespace traceml {

// Whether this build can write them.
bool writes_run_traces();

// "rank_0000.cycle_0.json.gz".
std::string run_trace_name(Rank rank, std::int64_t cycle);

// The gzipped bytes of the file. No name of host, user or folder is in them. Throws NotBuilt in a
// build without zlib.
std::string pack_run_trace(const RunTrace& trace);

// Files of one cycle in DIR/trace, by rank; empty where there are none.
std::vector<std::string> run_trace_files(const std::string& dir, std::int64_t cycle);

// Cycles of which DIR/trace holds files, ascending.
std::vector<std::int64_t> run_trace_cycles(const std::string& dir);

}  // namespace traceml
