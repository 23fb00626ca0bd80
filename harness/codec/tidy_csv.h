#pragma once
// tidy.csv: every phase of every step in one table of one number a row, for pandas and its like.

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/records.h"

namespace traceml {

// "launch,rank,arm,block,window,step,timed,phase,clock,value_ms", with a line end.
std::string_view tidy_header();

// A row for each phase that took place and each clock that measured it: what was not measured has
// no row. Warm-up steps have neither block nor window. Milliseconds with six decimals, which hold
// whole nanoseconds. `launch` counts from 1; arm_names[i] is that of ArmIndex{i}.
std::string tidy_rows(int launch, const RankRecords& records,
                      const std::vector<std::string>& arm_names);

}  // namespace traceml
