#pragma once

#include <string>

#include "harness/analysis/rank_traces.h"
#include "harness/analysis/trace_against.h"
#include "harness/reports/table.h"
#include "harness/reports/terminal.h"

namespace traceml {

// What the traces of several ranks say together.
std::string render_ranks(const RankTraces& ranks, const TerminalStyle& style);

// What changed per step against an earlier trace; at most `most_rows` kernels.
std::string render_against(const TraceComparison& comparison, std::size_t most_rows,
                           const TerminalStyle& style);

// Their tables.
Table rank_wait_table(const RankTraces& ranks);
Table collective_table(const RankTraces& ranks);
Table total_mover_table(const TraceComparison& comparison);
Table kernel_mover_table(const TraceComparison& comparison, std::size_t most_rows);

}  // namespace traceml
