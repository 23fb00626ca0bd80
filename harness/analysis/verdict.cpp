#include "harness/analysis/verdict.h"

namespace traceml {

Outcome three_way(double lower, double upper, double bound) {
  if (lower > bound) return Outcome::kFail;
  if (upper < bound) return Outcome::kPass;
  return Outcome::kInconclusive;
}

Judgement judge(const Estimate& estimate, const GateRule& rule) {
  const Spread& spread = estimate.spread.value();
  Judgement result;
  result.interval = interval_at(estimate.theta, spread, rule.pass_level(), rule.allowance);
  result.fail_lower = interval_at(estimate.theta, spread, rule.fail_level(), rule.allowance).lower;
  result.p_regression = one_sided_p(estimate.theta, spread, rule.bound, rule.allowance);
  result.outcome = three_way(result.fail_lower, result.interval.upper, rule.bound);
  if (result.interval.lower > 0) result.direction = Direction::kSlower;
  if (result.interval.upper < 0) result.direction = Direction::kFaster;
  return result;
}

}  // namespace traceml
