#pragma once
// The three-way verdict of one gate at one look (docs/statistics.md, 2.5 to 2.7).

#include "harness/analysis/outcome.h"
#include "harness/analysis/statistics.h"
#include "harness/analysis/summary.h"

namespace traceml {

struct GateRule {
  double bound = 0;       // ln(1 + delta)
  double alpha = 0.05;    // of each wrong verdict, over all looks
  int looks = 4;          // K
  int gates = 1;          // m
  bool sequence = false;  // judged by a confidence sequence
  Allowance allowance;

  double pass_level() const { return alpha / looks; }
  double fail_level() const { return alpha / (looks * gates); }
};

// PASS iff upper < bound, FAIL iff lower > bound: both strict, so a bound met exactly is
// inconclusive, and so is one that is no number.
Outcome three_way(double lower, double upper, double bound);

struct Judgement {
  Outcome outcome = Outcome::kInconclusive;
  Direction direction = Direction::kUnresolved;
  Interval interval;      // at the pass level on both sides
  double fail_lower = 0;  // at the fail level
  double p_regression = 1;
};

// `estimate` must have a spread.
Judgement judge(const Estimate& estimate, const GateRule& rule);

}  // namespace traceml
