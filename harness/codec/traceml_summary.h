#pragma once
// TraceML's final_summary.json, schemas 1.7 to 1.9 and newer ones that still have the keys.
// For sources of this room only.

#include <string>

#include "harness/analysis/run_set.h"
#include "harness/codec/json_input.h"

namespace traceml {

// Judges by the rows of the ranks, never by the file's own averages: those leave out a rank that
// lacks a time. Throws UsageError for an older schema and for sections that are no objects.
StoredRun read_traceml_summary(const JsonPlace& top, const std::string& path);

}  // namespace traceml
