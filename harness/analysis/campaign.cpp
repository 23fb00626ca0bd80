#include "harness/analysis/campaign.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/analysis/arm_summary.h"
#include "harness/analysis/device_figures.h"
#include "harness/analysis/gate_replay.h"
#include "harness/analysis/gate_result.h"
#include "harness/analysis/input_summary.h"
#include "harness/analysis/launch_pool.h"
#include "harness/analysis/make_steps_over_time.h"
#include "harness/analysis/reference_fraction.h"
#include "harness/analysis/stragglers.h"
#include "harness/analysis/sweep_replay.h"
#include "harness/analysis/sweep_result.h"
#include "harness/analysis/text.h"
#include "harness/analysis/where.h"
#include "harness/core/error.h"

namespace traceml {

namespace {

const ArmAnalysis& arm_of(const std::vector<ArmAnalysis>& arms, ArmIndex arm) {
  return arms[static_cast<std::size_t>(arm.value)];
}

void check_facts(const CampaignFacts& facts) {
  const auto known = [&](ArmIndex arm) {
    return arm.value >= 0 && static_cast<std::size_t>(arm.value) < facts.arms.size();
  };
  for (const GateSpec& gate : facts.gates) {
    if (known(gate.candidate) && known(gate.baseline)) continue;
    throw RunError("gate " + gate.name +
                   " names an arm that the plan does not have; the plan and "
                   "the records do not belong together");
  }
  for (std::size_t i = 0; facts.sweep && i < facts.sweep->settings.size(); ++i) {
    if (known(facts.sweep->settings[i].arm)) continue;
    throw RunError("setting " + std::to_string(i) +
                   " of the sweep is no arm of the plan; the plan and the records do not belong "
                   "together");
  }
  for (const ArmFacts& arm : facts.arms) {
    if (!arm.reference || known(*arm.reference)) continue;
    throw RunError("the reference of arm " + arm.name +
                   " is no arm of the plan; the plan and the "
                   "records do not belong together");
  }
}

std::vector<Rank> missing_ranks(const std::vector<const RankRecords*>& ranks) {
  std::vector<Rank> missing;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const bool silent =
        ranks[rank] == nullptr || (ranks[rank]->windows.empty() && ranks[rank]->steps.empty());
    if (silent) missing.push_back({static_cast<int>(rank)});
  }
  return missing;
}

std::vector<ArmAnalysis> analyze_arms(const CampaignFacts& facts,
                                      const std::vector<const RankRecords*>& ranks,
                                      const CampaignWindows& windows, const SlowestByArm& steps,
                                      CampaignSummary& summary) {
  std::vector<ArmRows> rows = rows_of_arms(facts, ranks, windows);
  std::vector<ArmAnalysis> arms;
  for (std::size_t i = 0; i < facts.arms.size(); ++i) {
    const ArmIndex arm{static_cast<int>(i)};
    const std::vector<WindowIndex> valid = windows_with_steps(windows.arms[i]);
    arms.push_back(
        analyze_arm(facts, arm, windows, std::move(rows[i]), series_of(steps[i], valid)));
    ArmSummary& own = arms.back().summary;
    own.all_reduce = all_reduce_figures(facts, arm, ranks, valid);
    own.device = device_figures_of(ranks, valid);
    const AllReduceTally tally = tally_all_reduces(facts, arm, ranks, valid);
    for (RankFigures& rank : own.ranks) {
      rank.all_reduce_steps = static_cast<std::int64_t>(tally.last.size());
      rank.last_at_all_reduce = last_steps_of(tally, rank.rank);
    }
    for (Straggler& straggler : name_stragglers(tally, own.name, own.wall_per_step)) {
      summary.stragglers.push_back(std::move(straggler));
    }
  }
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::optional<ArmIndex> reference = facts.arms[i].reference;
    arms[i].summary.input = input_summary_of(
        facts, arms[i].summary, reference ? &arm_of(arms, *reference).summary : nullptr, ranks,
        windows_with_steps(windows.arms[i]));
  }
  return arms;
}

void warn_of_carry_over(const CampaignFacts& facts, const GateSpec& gate,
                        const std::vector<ArmAnalysis>& arms, std::set<std::string>& warnings) {
  const ArmAnalysis& candidate = arm_of(arms, gate.candidate);
  const ArmAnalysis& baseline = arm_of(arms, gate.baseline);
  const auto carry = carry_over_of(candidate.series, baseline.series, facts.period);
  if (!carry || !carry->clear || std::abs(carry->difference) <= gate.delta / 2) return;
  warnings.insert("the first stall period of a window differs from its rest by " +
                  signed_percent(std::expm1(carry->difference)) + " more in " +
                  candidate.summary.name + " than in " + baseline.summary.name +
                  ": something is carried over from the other arm's window");
}

// A gate that has its verdict although it was not steady at an earlier look.
void warn_of_wait(const CampaignFacts& facts, const GateSpec& gate, const GateState& state,
                  std::vector<std::string>& warnings) {
  if (state.closed_at == 0 || state.put_off.empty()) return;
  std::string looks;
  for (const int look : state.put_off) {
    looks += (looks.empty() ? "" : ", ") + std::to_string(look);
  }
  warnings.push_back(gate.name + ": its windows were not steady after " + looks +
                     (facts.pooled ? " launches" : " blocks") + ", so its verdict waited until " +
                     std::to_string(state.closed_at));
}

// A gate that gives no verdict run after run has failed at its work (`escalate_after`).
void escalate(GateResult& gate) {
  const int in_a_row = gate.spec.inconclusive_before + 1;
  if (gate.spec.escalate_after == 0 || gate.outcome != Outcome::kInconclusive) return;
  if (in_a_row < gate.spec.escalate_after) return;
  gate.outcome = Outcome::kFail;
  gate.escalated = true;
  gate.why = "no verdict in " + std::to_string(in_a_row) +
             " runs in a row (escalate_after: " + std::to_string(gate.spec.escalate_after) +
             "): " + gate.why;
}

// What is judged over the whole run and not at looks: they have neither phases nor device states.
std::vector<Finding> findings_of_whole_run(const CampaignFacts& facts, const GateSpec& gate,
                                           const ArmAnalysis& candidate,
                                           const ArmAnalysis& baseline) {
  std::vector<Finding> findings;
  if (auto finding = reference_finding(facts, gate, baseline)) findings.push_back(*finding);
  for (const ArmAnalysis* arm : {&candidate, &baseline}) {
    if (auto finding = throttle_finding(arm->summary)) findings.push_back(*finding);
  }
  return findings;
}

void add_sweep(const CampaignFacts& facts, const CampaignWindows& windows,
               const SlowestByArm& steps, const std::vector<ArmAnalysis>& arms,
               CampaignSummary& summary) {
  const SweepState state = replay_sweep(facts, windows, steps, facts.max_blocks);
  for (const auto& setting : state.settings) {
    if (setting) warn_of_wait(facts, setting->gate, setting->state, summary.warnings);
  }
  summary.sweep = sweep_result(facts, windows, state, arms, [&](const GateSpec& gate) {
    return findings_of_whole_run(facts, gate, arm_of(arms, gate.candidate),
                                 arm_of(arms, gate.baseline));
  });
}

std::vector<Finding> findings_of(const CampaignFacts& facts, const GateSpec& gate,
                                 const CampaignWindows& windows,
                                 const std::vector<ArmAnalysis>& arms) {
  const GatePairs pairs = pair_blocks(facts, windows, gate);
  std::vector<Finding> findings = window_findings(facts, gate, pairs, pairs.pairs);
  const ArmAnalysis& candidate = arm_of(arms, gate.candidate);
  const ArmAnalysis& baseline = arm_of(arms, gate.baseline);
  for (Finding& finding : findings_of_whole_run(facts, gate, candidate, baseline)) {
    findings.push_back(std::move(finding));
  }
  if (auto finding = steadiness_finding(facts, gate, candidate.series, baseline.series)) {
    findings.push_back(*finding);
  }
  return findings;
}

std::vector<std::optional<Clock>> clocks_of(const std::vector<ArmAnalysis>& arms) {
  std::vector<std::optional<Clock>> clocks;
  for (const ArmAnalysis& arm : arms) clocks.push_back(arm.summary.clock);
  return clocks;
}

int blocks_of(const CampaignWindows& windows) {
  std::set<int> blocks;
  for (const auto& arm : windows.arms) {
    for (const BlockWindow& window : arm) {
      if (window.complete()) blocks.insert(window.block);
    }
  }
  return static_cast<int>(blocks.size());
}

}  // namespace

void judge_overall(CampaignSummary& summary) {
  for (GateResult& gate : summary.gates) escalate(gate);
  summary.no_gates = summary.gates.empty();
  summary.reason = std::nullopt;
  bool fails = false, undecided = false;
  for (const GateResult& gate : summary.gates) {
    fails |= gate.outcome == Outcome::kFail;
    if (gate.outcome != Outcome::kInconclusive || counts_as_pass(gate)) continue;
    undecided = true;
    const bool leads = gate.reason && (!summary.reason || precedence_of(*gate.reason) <
                                                              precedence_of(*summary.reason));
    if (leads) summary.reason = gate.reason;
  }
  summary.outcome = fails ? Outcome::kFail : undecided ? Outcome::kInconclusive : Outcome::kPass;
  if (summary.outcome != Outcome::kInconclusive) summary.reason = std::nullopt;
  summary.exit_code = value_of(fails       ? ExitCode::kRegression
                               : undecided ? ExitCode::kInconclusive
                                           : ExitCode::kPass);
}

bool counts_as_pass(const GateResult& gate) {
  if (gate.outcome != Outcome::kInconclusive) return gate.outcome == Outcome::kPass;
  return gate.spec.inconclusive_passes &&
         std::all_of(gate.all_reasons.begin(), gate.all_reasons.end(), [](Reason reason) {
           return precedence_of(reason) >= precedence_of(Reason::kTooFewUnits);
         });
}

CampaignSummary summarize_campaign(const CampaignFacts& facts,
                                   const std::vector<RankRecords>& ranks,
                                   const AgainstStored* stored) {
  check_facts(facts);
  CampaignSummary summary;
  const std::vector<const RankRecords*> slots = by_rank(facts, ranks);
  const CampaignWindows windows = tabulate_windows(facts, slots);
  const SlowestByArm steps = slowest_steps(facts, step_times_of(slots));
  const std::vector<GateState> gates =
      replay_looks(facts, windows, steps, facts.pooled ? facts.launches : facts.max_blocks);
  const std::vector<ArmAnalysis> arms = analyze_arms(facts, slots, windows, steps, summary);
  summary.missing_ranks = missing_ranks(slots);
  summary.common_reference = common_reference(facts);
  summary.blocks = blocks_of(windows);
  if (facts.pooled) summary.launches = launch_rows(facts, windows);
  summary.steps_over_time = make_steps_over_time(facts, slots, windows, gates, clocks_of(arms));
  summary.warnings = windows.warnings;
  for (const Rank rank : summary.missing_ranks) {
    summary.warnings.push_back("rank " + std::to_string(rank.value) + " reported nothing");
  }
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const auto more = warnings_of(arms[i], windows.arms[i]);
    summary.warnings.insert(summary.warnings.end(), more.begin(), more.end());
  }
  std::set<std::string> of_gates;
  for (std::size_t i = 0; i < facts.gates.size(); ++i) {
    const GateSpec& gate = facts.gates[i];
    const ArmAnalysis& candidate = arm_of(arms, gate.candidate);
    const ArmAnalysis& baseline = arm_of(arms, gate.baseline);
    summary.gates.push_back(gate_result(facts, gate, rule_of(facts, gate), gates[i],
                                        findings_of_whole_run(facts, gate, candidate, baseline)));
    warn_of_wait(facts, gate, gates[i], summary.warnings);
    GateResult& result = summary.gates.back();
    result.where = differences_between(candidate, baseline);
    result.outside_step = outside_the_step(result, candidate, baseline);
    warn_of_carry_over(facts, gate, arms, of_gates);
    const std::string capped = power_cap_warning(candidate.summary, baseline.summary);
    if (!capped.empty()) of_gates.insert(capped);
  }
  for (std::size_t i = 0; stored != nullptr && i < facts.stored_gates.size(); ++i) {
    const GateSpec& gate = facts.stored_gates[i];
    summary.gates.push_back(judge_against_stored(facts, gate, {stored->candidate},
                                                 stored->baselines.at(i),
                                                 findings_of(facts, gate, windows, arms)));
  }
  for (const GateSpec& gate : facts.left_out_gates) {
    summary.gates.push_back(left_out_result(gate));
  }
  if (facts.sweep) add_sweep(facts, windows, steps, arms, summary);
  summary.warnings.insert(summary.warnings.end(), of_gates.begin(), of_gates.end());
  for (const ArmAnalysis& arm : arms) summary.arms.push_back(arm.summary);
  judge_overall(summary);
  return summary;
}

std::vector<std::vector<Finding>> findings_of_stored_gates(const CampaignFacts& facts,
                                                           const std::vector<RankRecords>& ranks) {
  check_facts(facts);
  CampaignSummary ignored;
  const std::vector<const RankRecords*> slots = by_rank(facts, ranks);
  const CampaignWindows windows = tabulate_windows(facts, slots);
  const std::vector<ArmAnalysis> arms =
      analyze_arms(facts, slots, windows, slowest_steps(facts, step_times_of(slots)), ignored);
  std::vector<std::vector<Finding>> findings;
  for (const GateSpec& gate : facts.stored_gates) {
    findings.push_back(findings_of(facts, gate, windows, arms));
  }
  return findings;
}

LookDecision decide_at_look(const CampaignFacts& facts, const std::vector<RankRecords>& ranks,
                            int done) {
  return decide_at_look(facts, ranks, step_times_of(by_rank(facts, ranks)), done);
}

LookDecision decide_at_look(const CampaignFacts& facts, const std::vector<RankRecords>& windows_of,
                            const TimesByRank& steps_of, int done) {
  check_facts(facts);
  const std::vector<int> looks = looks_of(facts);
  if (std::find(looks.begin(), looks.end(), done) == looks.end()) {
    throw RunError("no verdict may be taken after " + std::to_string(done) +
                   (facts.pooled ? " launches" : " blocks") +
                   ": the plan's looks do not hold that number");
  }
  const CampaignWindows windows = tabulate_windows(facts, by_rank(facts, windows_of));
  const SlowestByArm steps = slowest_steps(facts, steps_of);
  const std::vector<GateState> gates = replay_looks(facts, windows, steps, done);
  LookDecision decision;
  std::set<ArmIndex> needed;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const GateSpec& gate = facts.gates[i];
    decision.gates.push_back(gate_result(facts, gate, rule_of(facts, gate), gates[i], {}));
    if (gates[i].closed_at > 0 || gates[i].hopeless()) continue;
    needed.insert(gate.candidate);
    needed.insert(gate.baseline);
  }
  if (facts.sweep) needed.merge(replay_sweep(facts, windows, steps, done).arms_needed(facts));
  decision.stop = needed.empty() || done >= looks.back();
  if (!decision.stop) decision.arms_needed.assign(needed.begin(), needed.end());
  return decision;
}

}  // namespace traceml
