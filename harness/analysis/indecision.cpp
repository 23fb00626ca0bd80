#include <cmath>
#include <optional>

#include "harness/analysis/hodges_lehmann.h"
#include "harness/analysis/quantiles.h"
#include "harness/analysis/text.h"
#include "harness/analysis/validity.h"

namespace traceml {

namespace {

// Whether the Hodges-Lehmann interval at the same levels would decide where the mean's does not
// (2.11). Not of a confidence sequence: at one look its intervals are wider than any of these.
std::optional<Finding> interference(const GateSpec& gate, const GateRule& rule,
                                    std::span<const double> log_ratios) {
  if (rule.sequence) return std::nullopt;
  const auto widened = [&](double level, double side) {
    const double z = normal_quantile(level);
    return std::hypot(side, z * rule.allowance.sd / std::sqrt(rule.allowance.launches));
  };
  const auto for_fail = hodges_lehmann(log_ratios, rule.fail_level());
  const auto for_pass = hodges_lehmann(log_ratios, rule.pass_level());
  if (!for_fail || !for_pass || !for_pass->interval) return std::nullopt;
  const double upper = for_pass->estimate +
                       widened(rule.pass_level(), for_pass->interval->upper - for_pass->estimate);
  const double lower =
      for_fail->interval
          ? for_fail->estimate -
                widened(rule.fail_level(), for_fail->estimate - for_fail->interval->lower)
          : -INFINITY;
  if (three_way(lower, upper, rule.bound) == Outcome::kInconclusive) return std::nullopt;
  return Finding{Reason::kInterferenceSuspected,
                 "the Hodges-Lehmann interval " + range_in_words(gate, {lower, upper}) +
                     " would decide against " + margin_in_words(gate) +
                     " and the mean's does not: a few windows were disturbed"};
}

// The interval's width in the unit that reports give it in.
double span_of(const GateSpec& gate, const Judgement& judgement) {
  const auto [lower, upper] = judgement.interval;
  if (gate.kind == GateKind::kMinFraction) return std::exp(-lower) - std::exp(-upper);
  return std::exp(upper) - std::exp(lower);
}

// How far from no change the margin is, in that unit.
double allowed_by(const GateSpec& gate) {
  if (gate.kind == GateKind::kMinFraction) return 1 - 1 / (1 + gate.delta);
  return gate.delta;
}

}  // namespace

std::vector<Finding> indecision_findings(const GateSpec& gate, const GateRule& rule,
                                         const Judgement& judgement,
                                         std::span<const double> log_ratios) {
  std::vector<Finding> findings;
  if (auto disturbed = interference(gate, rule, log_ratios)) findings.push_back(*disturbed);
  const double width = judgement.interval.upper - judgement.interval.lower;  // of logarithms
  const std::string range = range_in_words(gate, judgement.interval);
  if (width > 2 * rule.bound) {
    findings.push_back({Reason::kWideInterval,
                        "the interval " + range + " spans " + percent(span_of(gate, judgement)) +
                            ", more than twice the " + percent(allowed_by(gate)) +
                            " that the margin " + margin_in_words(gate) + " leaves"});
  } else {
    findings.push_back({Reason::kBorderline,
                        "the interval " + range + " holds the margin " + margin_in_words(gate)});
  }
  return findings;
}

}  // namespace traceml
