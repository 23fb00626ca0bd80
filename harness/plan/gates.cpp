#include "harness/plan/gates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/nearest.h"

namespace traceml {

namespace {

// z with P(Z > z) = tail for 0 < tail < 1/2, by bisection of erfc.
double normal_quantile(double tail) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    const double beyond = std::erfc(middle / std::numbers::sqrt2) / 2;
    (beyond > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", fraction * 100);
  return text;
}

ArmIndex find_arm_of_gate(const Config& config, const GateConfig& gate, const std::string& name,
                          const std::string& opening) {
  if (const auto index = arm_named(config, name)) return *index;
  std::vector<std::string> names;
  for (const ArmConfig& arm : config.arms) {
    if (!arm.hidden) names.push_back(arm.name);
  }
  const std::string wanted = gate.kind == GateKind::kMaxOverhead ? gate.candidate : name;
  throw UsageError(opening + "the gate names the arm " + shown(wanted) + ", which is not there" +
                   did_you_mean(wanted, names));
}

void check_reference(const Config& config, const GateSpec& gate, const std::string& opening) {
  const auto& arms = config.arms;
  const ArmConfig& candidate = arms[static_cast<std::size_t>(gate.candidate.value)];
  const ArmConfig& reference = arms[static_cast<std::size_t>(gate.baseline.value)];
  if (reference.input.source != Source::kSynthetic) {
    throw UsageError(opening + "min_fraction is held against an input-free arm, and " +
                     shown(reference.name) +
                     " reads a data set; give that arm input: {source: "
                     "synthetic}, or use max_regression");
  }
  const auto differing = mismatches(config, candidate, reference);
  if (differing.empty()) return;
  throw UsageError(
      opening + shown(reference.name) + " is no matched reference of " + shown(candidate.name) +
      ": they differ in " + differing.front() +
      (differing.size() > 1 ? " and " + std::to_string(differing.size() - 1) + " more" : "") +
      "; add an input-free arm with the same settings");
}

void check_margin(const CampaignFacts& facts, const GateSpec& gate, const std::string& opening) {
  if (facts.launches > 0) return;  // judged over launches
  const double least = least_log_margin(facts);
  if (facts.commands || std::log1p(gate.delta) > least) return;
  throw UsageError(
      opening + "one launch cannot judge '" + gate.name + "' to " + percent(gate.delta) +
      ", because launches differ by themselves and margins up to " + percent(std::expm1(least)) +
      " can never pass; widen the margin, or judge over "
      "several launches (launch --launches 6), or measure by how much (selfcheck) "
      "and name its noise profile (measure.noise_profile)");
}

// Reports tell gates apart by their names; two gates of one pair of arms differ in kind.
void make_name_unique(const std::vector<GateSpec>& earlier, GateSpec* gate,
                      const std::string& opening) {
  for (const GateSpec& other : earlier) {
    if (other.candidate != gate->candidate || other.baseline != gate->baseline) continue;
    if (other.kind == gate->kind) {
      throw UsageError(opening + "the gate '" + gate->name + "' is there twice; keep one");
    }
    if (other.name != gate->name) continue;
    gate->name += gate->kind == GateKind::kMinFraction ? ", fraction" : ", regression";
  }
}

GateSpec spec_of(const Config& config, const GateConfig& written, const std::string& opening) {
  GateSpec gate;
  gate.kind = written.kind;
  gate.delta = written.delta;
  gate.min_fraction = written.min_fraction;
  gate.inconclusive_passes = written.inconclusive_passes;
  gate.inconclusive_fails = written.inconclusive_fails;
  gate.escalate_after = written.escalate_after.value_or(0);
  std::string candidate = written.candidate;
  std::string baseline = written.baseline;
  if (written.kind == GateKind::kMaxOverhead) {
    candidate = instrumented_arm_of(config, written);
    baseline = bare_arm_of(config, written);
    Config view;
    view.measure.instrument = *written.overhead_of;
    gate.name = text_of(view, "measure.instrument") + " on " + written.candidate;
  } else {
    gate.name = candidate + " against " + baseline;
  }
  gate.candidate = find_arm_of_gate(config, written, candidate, opening);
  gate.baseline = find_arm_of_gate(config, written, baseline, opening);
  return gate;
}

GateSpec stored_spec_of(const Config& config, const CampaignFacts& facts, const GateConfig& written,
                        const std::string& opening) {
  constexpr double kUsualGuard = 0.08;  // statistics 2.8
  GateSpec gate;
  gate.name = written.candidate + " against " + written.stored;
  gate.delta = written.delta;
  gate.inconclusive_passes = written.inconclusive_passes;
  gate.inconclusive_fails = written.inconclusive_fails;
  gate.candidate = find_arm_of_gate(config, written, written.candidate, opening);
  const auto reference = facts.arms[static_cast<std::size_t>(gate.candidate.value)].reference;
  gate.baseline = reference.value_or(gate.candidate);
  gate.stored = StoredSpec{written.stored, written.reference_margin.value_or(kUsualGuard),
                           written.treatment, written.confirm_on_fail};
  if (written.reference_margin && !reference) {
    throw UsageError(opening + "reference_margin guards the matched input-free arm, and " +
                     shown(written.candidate) +
                     " has none, so its own time is judged; leave it out, or add that arm");
  }
  return gate;
}

}  // namespace

std::vector<GateSpec> stored_gates_of(const Config& config, const CampaignFacts& facts) {
  std::vector<GateSpec> gates;
  for (const GateConfig& written : config.gates) {
    if (written.stored.empty()) continue;
    const std::string opening = written.where.empty() ? "" : written.where + ": ";
    if (facts.commands) {
      throw UsageError(opening +
                       "arms that are commands are not held against stored campaigns; compare old "
                       "and new in one run, as configs/two-commits.yaml does");
    }
    if (facts.launches == 0) {
      throw UsageError(opening +
                       "a stored campaign is one of several launches, and so is what is held "
                       "against it; start it with traceml-bench launch (check --launches 6)");
    }
    if (written.escalate_after) {
      throw UsageError(opening +
                       "escalate_after counts runs, and stored campaigns judge several launches "
                       "together; leave it out");
    }
    GateSpec gate = stored_spec_of(config, facts, written, opening);
    const bool twice = std::any_of(gates.begin(), gates.end(),
                                   [&](const GateSpec& one) { return one.name == gate.name; });
    if (twice) {
      throw UsageError(opening + "the gate '" + gate.name + "' is there twice; keep one");
    }
    gates.push_back(std::move(gate));
  }
  for (GateSpec& gate : gates) {  // an arm may be named like a store
    for (const GateSpec& other : facts.gates) {
      if (other.name == gate.name) gate.name += ", stored";
    }
  }
  return gates;
}

void require_gates(const Config& config, const std::string& path) {
  if (config.gates.empty()) {
    throw UsageError(path + " has no gates and --require-gates was given");
  }
}

double least_log_margin(const CampaignFacts& facts, int claims) {
  const double tail = facts.alpha / (alpha_shares(facts) * claims);
  return normal_quantile(tail) * facts.interaction_sd;
}

std::vector<GateSpec> gates_of(const Config& config, const CampaignFacts& facts) {
  std::vector<GateSpec> gates;
  for (const GateConfig& written : config.gates) {
    if (!written.stored.empty()) continue;
    const std::string opening = written.where.empty() ? "" : written.where + ": ";
    GateSpec gate = spec_of(config, written, opening);
    make_name_unique(gates, &gate, opening);
    if (gate.kind == GateKind::kMinFraction) check_reference(config, gate, opening);
    // Equal arms are to show what cannot be judged, too.
    if (config.measure.equal_arms.empty()) check_margin(facts, gate, opening);
    if (gate.escalate_after > 0 && facts.launches > 0) {
      throw UsageError(opening +
                       "escalate_after counts runs, and measure.launches judges several "
                       "together; leave one of them out");
    }
    gates.push_back(gate);
  }
  return gates;
}

}  // namespace traceml
