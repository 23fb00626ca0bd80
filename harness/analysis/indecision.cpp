#include <cmath>

#include "harness/analysis/hodges_lehmann.h"
#include "harness/analysis/quantiles.h"
#include "harness/analysis/text.h"
#include "harness/analysis/validity.h"

namespace traceml {

std::vector<Finding> indecision_findings(const GateSpec& gate, const GateRule& rule,
                                         const Judgement& judgement,
                                         std::span<const double> log_ratios) {
  std::vector<Finding> findings;
  const auto widened = [&](double level, double side) {
    const double z = normal_quantile(level);
    return std::hypot(side, z * rule.allowance.sd / std::sqrt(rule.allowance.launches));
  };
  const auto for_fail = hodges_lehmann(log_ratios, rule.fail_level());
  const auto for_pass = hodges_lehmann(log_ratios, rule.pass_level());
  if (for_fail && for_pass && for_pass->interval) {
    const double upper = for_pass->estimate +
                         widened(rule.pass_level(), for_pass->interval->upper - for_pass->estimate);
    const double lower =
        for_fail->interval
            ? for_fail->estimate -
                  widened(rule.fail_level(), for_fail->estimate - for_fail->interval->lower)
            : -INFINITY;
    if (three_way(lower, upper, rule.bound) != Outcome::kInconclusive) {
      findings.push_back({Reason::kInterferenceSuspected,
                          "the Hodges-Lehmann interval " + range_in_words(gate, {lower, upper}) +
                              " would decide against " + margin_in_words(gate) +
                              " and the mean's does not: a few windows were disturbed"});
    }
  }
  const double width = judgement.interval.upper - judgement.interval.lower;
  const std::string range = range_in_words(gate, judgement.interval);
  if (width > 2 * rule.bound) {
    findings.push_back({Reason::kWideInterval, "the interval " + range + " is " + percent(width) +
                                                   " wide, more than twice the margin of " +
                                                   percent(rule.bound)});
  } else {
    findings.push_back({Reason::kBorderline,
                        "the interval " + range + " holds the margin " + margin_in_words(gate)});
  }
  return findings;
}

}  // namespace traceml
