#include "harness/analysis/gate_result.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/hodges_lehmann.h"
#include "harness/analysis/text.h"

namespace traceml {

namespace {

constexpr double kPlainAlpha = 0.05;  // a side: 90 % intervals

const ArmFacts& facts_of(const CampaignFacts& facts, ArmIndex arm) {
  return facts.arms[static_cast<std::size_t>(arm.value)];
}

std::string_view name_of(Instrument instrument) {
  switch (instrument) {
    case Instrument::kHost:
      return "host";
    case Instrument::kEvents:
      return "events";
    case Instrument::kCupti:
      return "cupti";
    case Instrument::kNone:
      break;
  }
  return "none";
}

int valid_blocks(const GateEvaluation& evaluation) {
  return static_cast<int>(std::count_if(evaluation.blocks.begin(), evaluation.blocks.end(),
                                        [](const BlockPair& pair) { return !pair.voided(); }));
}

std::vector<double> ratios_of(const GateEvaluation& evaluation) {
  std::vector<double> ratios;
  for (const PairDifference& pair : evaluation.differences) ratios.push_back(pair.log_ratio);
  return ratios;
}

void fill_estimate(const GateEvaluation& evaluation, const GateRule& rule, GateResult& result) {
  if (!evaluation.estimate) return;
  const Estimate& estimate = *evaluation.estimate;
  result.theta = estimate.theta;
  result.order_effect = estimate.order_effect;
  result.unseen_fraction = unseen_fraction_of(estimate.units);
  if (const auto hl = hodges_lehmann(ratios_of(evaluation), kPlainAlpha)) {
    result.hodges_lehmann = hl->estimate;
    result.hodges_lehmann_interval = hl->interval;
  }
  if (evaluation.judgement) fill_judgement(estimate, *evaluation.judgement, rule, result);
}

// Null where the arms' batches differ: their steps are not the same work.
void fill_differences(const CampaignFacts& facts, const GateSpec& gate,
                      const GateEvaluation& evaluation, GateResult& result) {
  if (evaluation.differences.empty() ||
      facts_of(facts, gate.candidate).global_batch != facts_of(facts, gate.baseline).global_batch) {
    return;
  }
  const auto pairs = static_cast<double>(valid_blocks(evaluation));
  Millis sum{};
  std::vector<std::pair<Rank, Millis>> ranks;
  for (int rank = 0; rank < facts.world_size; ++rank) ranks.push_back({{rank}, Millis{}});
  for (const BlockPair& pair : evaluation.blocks) {
    if (pair.voided()) continue;
    const auto to = wall_per_step(*pair.candidate), from = wall_per_step(*pair.baseline);
    if (!to || !from) return;
    sum += *to - *from;
    for (auto& [rank, difference] : ranks) {
      const auto slot = static_cast<std::size_t>(rank.value);
      difference += *wall_per_step(pair.candidate->records[slot]) -
                    *wall_per_step(pair.baseline->records[slot]);
    }
  }
  result.mean_difference = sum / pairs;
  if (gate.kind != GateKind::kMaxOverhead) return;
  for (auto& [rank, difference] : ranks) difference /= pairs;
  result.per_rank_difference = std::move(ranks);
}

std::string why_this_fails(const GateSpec& gate, const GateEvaluation& evaluation) {
  const Judgement& judgement = *evaluation.judgement;
  if (!evaluation.by_holm) return why_fail(gate, judgement);
  return "the regression is proven at Holm's level, another gate having failed (p = " +
         std::to_string(judgement.p_regression) + ")";
}

}  // namespace

void fill_judgement(const Estimate& estimate, const Judgement& judgement, const GateRule& rule,
                    GateResult& result) {
  result.interval = judgement.interval;
  result.fail_lower = judgement.fail_lower;
  Spread plain = *estimate.spread;
  plain.sequence_units = 0;
  result.interval_90 = interval_at(estimate.theta, plain, kPlainAlpha, {});
  result.pair_sd = estimate.spread->sd;
  result.p_regression = judgement.p_regression;
  result.direction = judgement.direction;
  result.minimum_detectable =
      minimum_detectable_change(*estimate.spread, rule.pass_level(), rule.allowance);
}

void fill_reasons(std::vector<Finding> findings, GateResult& result) {
  sort_by_precedence(findings);
  for (const Finding& finding : findings) {
    if (result.all_reasons.empty() || result.all_reasons.back() != finding.reason) {
      result.all_reasons.push_back(finding.reason);
    }
  }
  result.outcome = Outcome::kInconclusive;
  if (findings.empty()) return;
  result.reason = findings.front().reason;
  result.why = findings.front().why;
}

std::string why_pass(const GateSpec& gate, const Judgement& judgement) {
  if (gate.kind == GateKind::kMinFraction) {
    return "at least " + percent(std::exp(-judgement.interval.upper)) +
           " of the baseline's throughput, more than the " + margin_in_words(gate) + " asked for";
  }
  return "at most " + signed_percent(std::expm1(judgement.interval.upper)) +
         ", below the margin of " + margin_in_words(gate);
}

std::string why_fail(const GateSpec& gate, const Judgement& judgement) {
  if (gate.kind == GateKind::kMinFraction) {
    return "at most " + percent(std::exp(-judgement.fail_lower)) +
           " of the baseline's throughput, less than the " + margin_in_words(gate) + " asked for";
  }
  return "at least " + signed_percent(std::expm1(judgement.fail_lower)) + ", above the margin of " +
         margin_in_words(gate);
}

GateResult gate_result(const CampaignFacts& facts, const GateSpec& gate, const GateRule& rule,
                       const GateState& state, const std::vector<Finding>& of_whole_run) {
  const GateEvaluation& evaluation = state.evaluation;
  GateResult result;
  result.spec = gate;
  result.blocks_voided =
      static_cast<int>(std::count_if(evaluation.blocks.begin(), evaluation.blocks.end(),
                                     [](const BlockPair& pair) { return pair.voided(); }));
  const int units = static_cast<int>(evaluation.differences.size());
  result.launches = facts.pooled ? units : 0;
  result.blocks = facts.pooled ? valid_blocks(evaluation) : units;
  result.look = state.closed_at;
  result.differing_keys =
      differing_keys(facts_of(facts, gate.candidate), facts_of(facts, gate.baseline));
  fill_estimate(evaluation, rule, result);
  fill_differences(facts, gate, evaluation, result);
  std::vector<Finding> findings = evaluation.findings;
  findings.insert(findings.end(), of_whole_run.begin(), of_whole_run.end());
  if (findings.empty() && evaluation.outcome == Outcome::kPass) {
    result.outcome = Outcome::kPass;
    result.why = why_pass(gate, *evaluation.judgement);
  } else if (findings.empty() && evaluation.outcome == Outcome::kFail) {
    result.outcome = Outcome::kFail;
    result.why = why_this_fails(gate, evaluation);
  } else {
    if (evaluation.judgement && evaluation.judgement->outcome == Outcome::kInconclusive) {
      const auto more =
          indecision_findings(gate, rule, *evaluation.judgement, ratios_of(evaluation));
      findings.insert(findings.end(), more.begin(), more.end());
    }
    fill_reasons(std::move(findings), result);
  }
  return result;
}

GateResult left_out_result(const GateSpec& gate) {
  GateResult result;
  result.spec = gate;
  fill_reasons({{Reason::kArmLeftOut, gate.left_out->why}}, result);
  return result;
}

std::vector<std::string> differing_keys(const ArmFacts& candidate, const ArmFacts& baseline) {
  const std::map<std::string, std::string> from(baseline.settings.begin(), baseline.settings.end());
  const std::map<std::string, std::string> to(candidate.settings.begin(), candidate.settings.end());
  std::vector<std::string> keys;
  for (const auto& [key, value] : to) {
    const auto other = from.find(key);
    if (other == from.end()) {
      keys.push_back(key + ": " + value + " against nothing");
    } else if (other->second != value) {
      keys.push_back(key + ": " + value + " against " + other->second);
    }
  }
  for (const auto& [key, value] : from) {
    if (to.count(key) == 0) keys.push_back(key + ": nothing against " + value);
  }
  if (to.count("measure.instrument") == 0 && candidate.instrument != baseline.instrument) {
    keys.push_back("measure.instrument: " + std::string(name_of(candidate.instrument)) +
                   " against " + std::string(name_of(baseline.instrument)));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace traceml
