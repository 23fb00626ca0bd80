#pragma once
// Estimates of theta = ln(T_candidate / T_baseline) and their intervals (docs/statistics.md, 2.3 to
// 2.7, 2.11).

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/summary.h"

namespace traceml {

enum class RanFirst { kBaseline, kCandidate };

// One pair of windows (or of launches) of one block.
struct PairDifference {
  double log_ratio = 0;  // ln(T_candidate / T_baseline)
  RanFirst first = RanFirst::kBaseline;
};

struct Spread {
  double sd = 0;  // of one unit, never below kSdFloor
  double se = 0;  // of theta
  double df = 0;  // > 0
  // Not 0: so many units of a confidence sequence, whose intervals hold at every number of units
  // (2.12); 0: those of a look that was planned.
  int sequence_units = 0;
};

struct Estimate {
  std::size_t units = 0;
  double theta = 0;
  std::optional<double> order_effect;  // gamma; null where every pair ran in the same order
  std::optional<Spread> spread;        // null: no interval can be given
};

// Makes s = 0 defined.
inline constexpr double kSdFloor = 1e-4;

// The launch x arm interaction that one launch cannot see (2.7).
struct Allowance {
  double sd = 0;
  int launches = 1;
};

// 2.4: the mean of the two order groups' means, df = n - 2. nullopt below two pairs. No spread
// below three pairs, nor where all pairs ran in the same order: theta then holds the order effect.
std::optional<Estimate> order_adjusted_estimate(std::span<const PairDifference> pairs);

// 2.12, `until_verdict`: the plain mean of all pairs with the spread of a confidence sequence.
// nullopt below two pairs, no spread below kMinSequenceUnits.
inline constexpr int kMinSequenceUnits = 4;
std::optional<Estimate> sequential_estimate(std::span<const PairDifference> pairs);

// 2.3, the launch as unit: plain t over the launches' means, df = J - 1. nullopt below two
// launches.
std::optional<Estimate> launch_estimate(std::span<const double> launch_means);

// Student's t_{1-alpha}, or the mixture-t of a confidence sequence; below kMostCritical, which
// decides nothing, where the sequence has none yet.
inline constexpr double kMostCritical = 1e6;
double critical_value(const Spread& spread, double alpha);

// sqrt((t_{1-alpha} se)^2 + (z_{1-alpha} s_int)^2 / J), alpha one-sided and below 1/2.
double half_width(const Spread& spread, double alpha, const Allowance& allowance);

// theta -+ half_width.
Interval interval_at(double theta, const Spread& spread, double alpha, const Allowance& allowance);

// The alpha at which the interval's lower end meets `bound`: one-sided p of "theta <= bound".
double one_sided_p(double theta, const Spread& spread, double bound, const Allowance& allowance);

// The relative change that is told from none at one-sided alpha with 80 % power: exp(D) - 1,
// D = half_width + t_.8 * sqrt(se^2 + s_int^2 / J) (3.5).
double minimum_detectable_change(const Spread& spread, double alpha, const Allowance& allowance);

// q95 = 1 - 0.05^(1/n): what happens in fewer windows than this may have gone unseen (2.11).
double unseen_fraction_of(std::size_t units);

// Holm's step-down (2.6). p_values holds the hypotheses still open; null: not testable. `total`
// counts all hypotheses, `rejected` those of earlier looks. Answers which are rejected at `level`.
std::vector<bool> holm_rejections(std::span<const std::optional<double>> p_values, double level,
                                  int total, int rejected);

}  // namespace traceml
