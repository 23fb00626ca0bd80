#include "harness/codec/gate_figures.h"

#include <cmath>

#include "harness/core/error.h"

namespace traceml {
namespace {

using InUnit = double (*)(double theta);

double relative(double theta) {
  return std::expm1(theta);
}

double fraction(double theta) {
  return std::exp(-theta);
}

// A fraction falls where theta grows, so that its bounds change places.
std::optional<Interval> in_unit(const std::optional<Interval>& interval, InUnit unit) {
  if (!interval) return std::nullopt;
  const double at_lower = unit(interval->lower);
  const double at_upper = unit(interval->upper);
  return Interval{std::fmin(at_lower, at_upper), std::fmax(at_lower, at_upper)};
}

}  // namespace

GateFigures figures_of(const GateResult& gate) {
  const bool is_fraction = gate.spec.kind == GateKind::kMinFraction;
  const InUnit unit = is_fraction ? fraction : relative;
  GateFigures figures;
  if (gate.theta) figures.estimate = unit(*gate.theta);
  figures.interval = in_unit(gate.interval, unit);
  figures.interval_90 = in_unit(gate.interval_90, unit);
  figures.margin =
      is_fraction ? gate.spec.min_fraction.value_or(1 / (1 + gate.spec.delta)) : gate.spec.delta;
  figures.unit = is_fraction ? "fraction" : "relative";
  return figures;
}

std::string_view name_of(GateKind kind) {
  switch (kind) {
    case GateKind::kMinFraction:
      return "min_fraction";
    case GateKind::kMaxRegression:
      return "max_regression";
    case GateKind::kMaxOverhead:
      return "max_overhead";
  }
  return "";
}

bool ended_early(const RunInfo& info) {
  return !info.finished || !info.failure.empty();
}

int exit_code_of(const RunInfo& info, const CampaignSummary& summary) {
  return ended_early(info) ? value_of(ExitCode::kRunFailed) : summary.exit_code;
}

}  // namespace traceml
