#include "harness/analysis/sweep_replay.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace traceml {

namespace {

const ArmFacts& facts_of(const CampaignFacts& facts, ArmIndex arm) {
  return facts.arms.at(static_cast<std::size_t>(arm.value));
}

// ln(T_b per image) of each setting in one block; null unless all of them have one.
std::optional<std::vector<double>> log_times(const CampaignFacts& facts,
                                             const CampaignWindows& windows, std::size_t block) {
  std::vector<double> times;
  for (const SweepSetting& setting : facts.sweep->settings) {
    const auto& blocks = windows.arms.at(static_cast<std::size_t>(setting.arm.value));
    const bool there = block < blocks.size() && blocks[block].block == static_cast<int>(block);
    if (!there || !blocks[block].valid()) return std::nullopt;
    const std::optional<Millis> wall = wall_per_step(blocks[block]);
    if (!wall) return std::nullopt;
    const std::int64_t batch = std::max<std::int64_t>(facts_of(facts, setting.arm).global_batch, 1);
    times.push_back(std::log(wall->count() / static_cast<double>(batch)));
  }
  return times;
}

GateSpec gate_of(const CampaignFacts& facts, const SweepSetting& setting,
                 const SweepSetting& best) {
  GateSpec gate;
  gate.name = facts_of(facts, setting.arm).name + " against " + facts_of(facts, best.arm).name;
  gate.kind = GateKind::kMaxRegression;
  gate.candidate = setting.arm;
  gate.baseline = best.arm;
  gate.delta = facts.sweep->delta;
  return gate;
}

// The pairs behind those that chose, up to the look: what was chosen on is judged on no more.
std::span<const BlockPair> judging(const GatePairs& pairs, std::size_t blocks) {
  constexpr auto kChosen = static_cast<std::size_t>(kChoosingBlocks);
  if (blocks <= kChosen) return {};
  return std::span(pairs.pairs).subspan(kChosen, blocks - kChosen);
}

// A setting that may be much faster than the best says that the best may be none: it goes on until
// it is known.
bool is_resolved(const GateEvaluation& evaluation, const GateRule& rule) {
  if (evaluation.outcome == Outcome::kFail) return true;
  if (evaluation.outcome == Outcome::kInconclusive) return false;
  const Interval& theta = evaluation.judgement->interval;
  return !doubts_best(theta, rule.bound) || beats_best(theta, rule.bound);
}

void take_look(const CampaignFacts& facts, const GateRule& rule, const SlowestByArm& steps,
               int look, SettingState& setting) {
  GateState& state = setting.state;
  const auto blocks = static_cast<std::size_t>(look);
  if (state.closed_at > 0 || state.pairs.pairs.size() < blocks) return;
  state.evaluation =
      evaluate_gate(facts, setting.gate, rule, state.pairs, steps, judging(state.pairs, blocks));
  if (state.evaluation.waits_for_steadiness()) state.put_off.push_back(look);
  if (is_resolved(state.evaluation, rule)) state.closed_at = look;
}

}  // namespace

bool doubts_best(const std::optional<Interval>& of_theta, double bound) {
  return !of_theta || !(of_theta->lower > -bound);
}

bool beats_best(const std::optional<Interval>& of_theta, double bound) {
  return of_theta && of_theta->upper < -bound;
}

BestChoice choose_best(const CampaignFacts& facts, const CampaignWindows& windows) {
  const std::vector<SweepSetting>& settings = facts.sweep->settings;
  std::vector<double> sums(settings.size(), 0);
  int blocks = 0;
  for (std::size_t block = 0; block < static_cast<std::size_t>(kChoosingBlocks); ++block) {
    const auto times = log_times(facts, windows, block);
    if (!times) continue;
    ++blocks;
    for (std::size_t i = 0; i < settings.size(); ++i) sums[i] += (*times)[i];
  }
  if (blocks == 0) {
    return {std::nullopt, "none of the first " + std::to_string(kChoosingBlocks) +
                              " blocks, which choose the best setting, is complete and valid in "
                              "all settings"};
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < settings.size(); ++i) {
    const bool cheaper = settings[i].cost_rank < settings[best].cost_rank;
    if (sums[i] < sums[best] || (sums[i] == sums[best] && cheaper)) best = i;
  }
  return {best, ""};
}

GateRule rule_of_sweep(const CampaignFacts& facts) {
  const auto others = static_cast<double>(facts.sweep->settings.size() - 1);
  GateRule rule;
  rule.bound = std::log1p(facts.sweep->delta);
  rule.alpha = facts.alpha / others;
  rule.looks = alpha_shares(facts);
  rule.sequence = facts.until_verdict;
  rule.allowance = {facts.interaction_sd, 1};
  return rule;
}

std::set<ArmIndex> SweepState::arms_needed(const CampaignFacts& facts) const {
  std::set<ArmIndex> needed;
  const auto add = [&](ArmIndex arm) {
    needed.insert(arm);
    if (const auto reference = facts_of(facts, arm).reference) needed.insert(*reference);
  };
  for (const auto& setting : settings) {
    if (!setting || setting->state.closed_at > 0 || setting->state.hopeless()) continue;
    add(setting->gate.candidate);
    add(setting->gate.baseline);
  }
  if (!needed.empty() && facts.sweep->common_reference) {
    needed.insert(*facts.sweep->common_reference);
  }
  return needed;
}

SweepState replay_sweep(const CampaignFacts& facts, const CampaignWindows& windows,
                        const SlowestByArm& steps, int up_to) {
  SweepState sweep;
  sweep.choice = choose_best(facts, windows);
  const std::vector<SweepSetting>& settings = facts.sweep->settings;
  sweep.settings.resize(settings.size());
  if (!sweep.choice.best) return sweep;
  const GateRule rule = rule_of_sweep(facts);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (i == *sweep.choice.best) continue;
    SettingState& setting = sweep.settings[i].emplace();
    setting.gate = gate_of(facts, settings[i], settings[*sweep.choice.best]);
    setting.state.pairs = pair_blocks(facts, windows, setting.gate);
    const GatePairs& pairs = setting.state.pairs;
    setting.state.evaluation =
        evaluate_gate(facts, setting.gate, rule, pairs, steps, judging(pairs, pairs.pairs.size()));
    for (const int look : looks_of(facts)) {
      if (look <= up_to) take_look(facts, rule, steps, look, setting);
    }
  }
  return sweep;
}

}  // namespace traceml
