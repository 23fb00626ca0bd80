#pragma once
// A gate in the unit in which a person wrote its margin.

#include <optional>
#include <string_view>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"

namespace traceml {

// min_fraction: unit "fraction", exp(-theta), 0.978. Others: unit "relative", exp(theta) - 1,
// 0.031.
struct GateFigures {
  std::optional<double> estimate;
  std::optional<Interval> interval;
  std::optional<Interval> interval_90;
  double margin = 0;
  std::string_view unit;
};

GateFigures figures_of(const GateResult& gate);

// "min_fraction", "max_regression", "max_overhead".
std::string_view name_of(GateKind kind);

// A run that ended before its plan has code 4, whatever its gates say (docs/files.md).
bool ended_early(const RunInfo& info);
int exit_code_of(const RunInfo& info, const CampaignSummary& summary);

}  // namespace traceml
