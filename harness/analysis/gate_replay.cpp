#include "harness/analysis/gate_replay.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/launch_pool.h"

namespace traceml {

namespace {

std::optional<Estimate> estimate_of(const CampaignFacts& facts,
                                    std::span<const PairDifference> differences) {
  if (facts.until_verdict) return sequential_estimate(differences);
  if (!facts.pooled) return order_adjusted_estimate(differences);
  std::vector<double> launches;
  for (const PairDifference& launch : differences) launches.push_back(launch.log_ratio);
  return launch_estimate(launches);
}

// Whole units of the verdict among the blocks that are complete.
std::size_t units_in(const CampaignFacts& facts, const GatePairs& pairs) {
  return pairs.pairs.size() / blocks_per_unit(facts);
}

// Valid windows of one arm among the blocks looked at.
std::vector<WindowSeries> series_in(std::span<const BlockPair> blocks,
                                    const BlockWindow* BlockPair::*of,
                                    const std::vector<SlowestStep>& steps) {
  std::vector<WindowIndex> windows;
  for (const BlockPair& pair : blocks) {
    const BlockWindow& window = *(pair.*of);
    if (window.valid() && window.ranks_agree) windows.push_back(window.window);
  }
  std::sort(windows.begin(), windows.end());
  return series_of(steps, windows);
}

std::optional<Finding> unsteady(const CampaignFacts& facts, const GateSpec& gate,
                                const SlowestByArm& steps, std::span<const BlockPair> blocks) {
  const auto series = [&](ArmIndex arm, const BlockWindow* BlockPair::*of) {
    return series_in(blocks, of, steps.at(static_cast<std::size_t>(arm.value)));
  };
  return steadiness_finding(facts, gate, series(gate.candidate, &BlockPair::candidate),
                            series(gate.baseline, &BlockPair::baseline));
}

GateEvaluation evaluate(const CampaignFacts& facts, const GateSpec& gate, const GatePairs& pairs,
                        const SlowestByArm& steps, std::size_t units) {
  const std::span blocks = std::span(pairs.pairs).first(units * blocks_per_unit(facts));
  return evaluate_gate(facts, gate, rule_of(facts, gate), pairs, steps, blocks);
}

GateLook look_of(const GateEvaluation& evaluation, int units) {
  GateLook look;
  look.units = units;
  look.blocks = static_cast<int>(evaluation.blocks.size());
  if (evaluation.estimate) look.theta = evaluation.estimate->theta;
  if (evaluation.judgement) look.interval = evaluation.judgement->interval;
  return look;
}

// Adds the failures of Holm's later steps among the gates evaluated at this look.
void apply_holm(const CampaignFacts& facts, std::vector<GateState>& gates,
                const std::vector<bool>& judged) {
  int rejected = 0;
  std::vector<std::optional<double>> p_values(gates.size());
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const GateEvaluation& now = gates[i].evaluation;
    if (gates[i].closed_at > 0) {
      rejected += now.outcome == Outcome::kFail;
    } else if (judged[i] && now.judgement && now.findings.empty()) {
      p_values[i] = now.judgement->p_regression;
    }
  }
  const int total = claims_of(facts);
  const double level = facts.alpha / alpha_shares(facts);
  const std::vector<bool> fails = holm_rejections(p_values, level, total, rejected);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    GateEvaluation& now = gates[i].evaluation;
    if (!fails[i] || now.outcome != Outcome::kInconclusive) continue;
    now.outcome = Outcome::kFail;
    now.by_holm = true;
  }
}

void take_look(const CampaignFacts& facts, const SlowestByArm& steps, int look,
               std::vector<GateState>& gates) {
  std::vector<bool> judged(gates.size(), false);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    GateState& gate = gates[i];
    const auto units = static_cast<std::size_t>(look);
    if (gate.closed_at > 0 || units_in(facts, gate.pairs) < units) continue;
    gate.evaluation = evaluate(facts, facts.gates[i], gate.pairs, steps, units);
    if (gate.evaluation.waits_for_steadiness()) gate.put_off.push_back(look);
    gate.looks.push_back(look_of(gate.evaluation, look));
    judged[i] = true;
  }
  apply_holm(facts, gates, judged);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    if (judged[i] && gates[i].evaluation.outcome != Outcome::kInconclusive) {
      gates[i].closed_at = look;
    }
  }
}

}  // namespace

std::vector<int> looks_of(const CampaignFacts& facts) {
  std::vector<int> looks = facts.looks;
  const int last = facts.pooled ? facts.launches : facts.max_blocks;
  looks.push_back(last);
  std::erase_if(looks, [&](int look) { return look < 1 || look > last; });
  std::sort(looks.begin(), looks.end());
  looks.erase(std::unique(looks.begin(), looks.end()), looks.end());
  return looks;
}

GateRule rule_of(const CampaignFacts& facts, const GateSpec& gate) {
  GateRule rule;
  rule.bound = std::log1p(gate.delta);
  rule.alpha = facts.alpha;
  rule.looks = alpha_shares(facts);
  rule.sequence = facts.until_verdict;
  rule.gates = claims_of(facts);
  rule.allowance = {facts.interaction_sd, 1};
  return rule;
}

bool GateEvaluation::waits_for_steadiness() const {
  return judgement && judgement->outcome != Outcome::kInconclusive && findings.size() == 1 &&
         findings.front().reason == Reason::kNotSteady;
}

bool GateState::hopeless() const {
  return closed_at == 0 && std::any_of(evaluation.findings.begin(), evaluation.findings.end(),
                                       [](const Finding& f) { return is_permanent(f.reason); });
}

GateEvaluation evaluate_gate(const CampaignFacts& facts, const GateSpec& gate, const GateRule& rule,
                             const GatePairs& pairs, const SlowestByArm& steps,
                             std::span<const BlockPair> blocks) {
  GateEvaluation result;
  result.blocks = blocks;
  result.findings = window_findings(facts, gate, pairs, result.blocks);
  if (auto finding = unsteady(facts, gate, steps, result.blocks)) {
    result.findings.push_back(std::move(*finding));
  }
  for (const BlockPair& pair : result.blocks) {
    if (pair.voided()) continue;
    const std::optional<double> ratio = log_ratio_of(pair, facts, gate);
    if (!ratio) return result;  // found above: one bad time leaves the gate without a figure
    result.differences.push_back({*ratio, pair.first()});
  }
  if (facts.pooled) {
    result.differences = launch_units(result.blocks, facts, gate);
    const std::size_t units = blocks.size() / blocks_per_unit(facts);
    const auto few = too_few_launches(facts, units, result.differences.size());
    if (few) result.findings.push_back(*few);
  }
  result.estimate = estimate_of(facts, result.differences);
  if (!result.estimate || !result.estimate->spread) return result;
  result.judgement = judge(*result.estimate, rule);
  if (result.findings.empty()) result.outcome = result.judgement->outcome;
  return result;
}

std::vector<GateState> replay_looks(const CampaignFacts& facts, const CampaignWindows& windows,
                                    const SlowestByArm& steps, int up_to) {
  std::vector<GateState> gates(facts.gates.size());
  for (std::size_t i = 0; i < gates.size(); ++i) {
    gates[i].pairs = pair_blocks(facts, windows, facts.gates[i]);
    const std::vector<int> looks = looks_of(facts);
    const std::size_t first = looks.empty() ? 0 : static_cast<std::size_t>(looks.front());
    const std::size_t known = units_in(facts, gates[i].pairs);
    if (known < first) {
      gates[i].evaluation = evaluate(facts, facts.gates[i], gates[i].pairs, steps, known);
    }
  }
  for (const int look : looks_of(facts)) {
    if (look <= up_to) take_look(facts, steps, look, gates);
  }
  return gates;
}

}  // namespace traceml
