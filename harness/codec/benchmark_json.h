#pragma once
// A run as Google Benchmark's JSON, for compare.py of google/benchmark and what else reads it.

#include <string>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"
#include "harness/plan/plan.h"

namespace traceml {

// A benchmark "CONFIG/ARM" for each arm with valid windows, one repetition a window (of commands a
// launch): real_time is its wall per step in ms, host clock, max over ranks. From two repetitions
// on mean, median, stddev (n - 1) and cv as google/benchmark computes them. Its format has no null:
// what was not measured is left out, but for cpu_time, without which compare.py reads nothing; it
// repeats real_time, and the context says so.
std::string write_benchmark_json(const RunInfo& info, const Plan& plan,
                                 const CampaignSummary& summary);

}  // namespace traceml
