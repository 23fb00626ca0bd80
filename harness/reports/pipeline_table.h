#pragma once
// The input pipelines of a run, one row each: arms that read a data set (or, of spin, wait as if
// they did). Null where the arms are commands or all get their batches from memory.

#include <optional>
#include <string>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

// Fractions of the matched and of the common reference, input wait and exposed copy on both clocks,
// long waits and their rhythm.
std::optional<Table> pipeline_table(const ReportInput& input);

// A bar for each arm's throughput as a share of the common reference's, for a terminal of so many
// columns; empty with fewer than two arms that have one.
std::string pipeline_bars(const ReportInput& input, int columns);

// The same and the settings of each pipeline, as CSV: a head, then one line an arm. An empty field
// is null. Numbers read back to the same doubles; a name is quoted where CSV needs it.
std::optional<std::string> render_input_csv(const ReportInput& input);

}  // namespace traceml
