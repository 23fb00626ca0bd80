#include "harness/analysis/sweep_result.h"

#include <cmath>
#include <utility>

#include "harness/analysis/gate_result.h"
#include "harness/analysis/reference_fraction.h"
#include "harness/analysis/sweep_answer.h"
#include "harness/analysis/text.h"
#include "harness/analysis/where.h"
#include "harness/analysis/window.h"

namespace traceml {

namespace {

const ArmAnalysis& arm_of(const std::vector<ArmAnalysis>& arms, ArmIndex arm) {
  return arms[static_cast<std::size_t>(arm.value)];
}

std::optional<FractionFigure> fraction_if_any(const CampaignFacts& facts,
                                              const CampaignWindows& windows, ArmIndex arm,
                                              std::optional<ArmIndex> reference) {
  if (!reference || *reference == arm) return std::nullopt;
  return fraction_of(facts, arm, *reference, windows);
}

// input_wait and, of a copy stream, the part of h2d that the compute stream waited for
// (docs/clocks.md); of the step on one clock. Null where either is not known.
std::optional<double> wait_share(const StepFigures& figures, Clock clock) {
  const auto step = step_of(figures, clock);
  const auto wait = figure_of(figures, Phase::kInputWait, clock);
  if (!step || !wait || step->count() <= 0) return std::nullopt;
  const auto copy = figure_of(figures, Phase::kH2d, clock).value_or(Millis{});
  return (*wait + copy) / *step;
}

// Where the rest of a setting's speed goes, as far as the step's own phases tell; what the stages
// of its loader tell is in its arm's InputSummary.
std::optional<InputWait> waits_of(const CampaignFacts& facts, const SettingResult& setting,
                                  const std::vector<ArmAnalysis>& arms) {
  const ArmSummary& own = arm_of(arms, setting.setting.arm).summary;
  if (!own.clock) return std::nullopt;
  const auto share = wait_share(own.global, *own.clock);
  if (!share) return std::nullopt;
  InputWait waits;
  waits.clock = *own.clock;
  waits.share = *share;
  const auto reference =
      facts.arms.at(static_cast<std::size_t>(setting.setting.arm.value)).reference;
  if (!reference) return waits;
  const ArmSummary& other = arm_of(arms, *reference).summary;
  if (other.clock == own.clock) waits.of_reference = wait_share(other.global, *own.clock);
  if (waits.of_reference && setting.of_matched) {
    waits.limit = limit_of(setting.of_matched->fraction, waits.share, *waits.of_reference,
                           facts.sweep->delta);
  }
  return waits;
}

Standing standing_of(const GateResult& judged) {
  switch (judged.outcome) {
    case Outcome::kPass:
      return Standing::kTied;
    case Outcome::kFail:
      return Standing::kWorse;
    case Outcome::kInconclusive:
      break;
  }
  return Standing::kUnresolved;
}

void drop_answer(SweepResult& sweep) {
  sweep.answer.reset();
  sweep.open.clear();
  sweep.doubts.clear();
  if (!sweep.curve) return;
  sweep.curve->knee = Knee::kNone;
  sweep.curve->at.reset();
}

void fill_answer(const CampaignFacts& facts, const SweepState& state, SweepResult* sweep) {
  std::vector<Standing> standings;
  for (const SettingResult& setting : sweep->settings) standings.push_back(setting.standing);
  sweep->best = state.choice.best;
  sweep->why_no_answer = state.choice.why_none;
  const CheapestSetting cheapest = cheapest_setting(sweep->spec, standings);
  sweep->open = cheapest.open;
  sweep->curve = curve_of(sweep->spec, standings);
  const auto name = [&](std::size_t i) {
    return facts.arms.at(static_cast<std::size_t>(sweep->settings[i].setting.arm.value)).name;
  };
  for (std::size_t i = 0; i < sweep->settings.size(); ++i) {
    if (sweep->settings[i].doubts_best) sweep->doubts.push_back(i);
    if (!sweep->settings[i].beats_best) continue;
    sweep->why_no_answer = "the first " + std::to_string(kChoosingBlocks) + " blocks chose " +
                           name(*sweep->best) + " as the best, and later blocks prove " + name(i) +
                           " faster than it by more than the margin of " +
                           percent(sweep->spec.delta) + "; run it again, with longer windows";
  }
  if (sweep->why_no_answer.empty()) {
    sweep->answer = cheapest.cheapest;
  } else {
    drop_answer(*sweep);
  }
}

}  // namespace

SweepResult sweep_result(
    const CampaignFacts& facts, const CampaignWindows& windows, const SweepState& state,
    const std::vector<ArmAnalysis>& arms,
    const std::function<std::vector<Finding>(const GateSpec& gate)>& of_whole_run) {
  const GateRule rule = rule_of_sweep(facts);
  SweepResult sweep;
  sweep.spec = *facts.sweep;
  for (std::size_t i = 0; i < facts.sweep->settings.size(); ++i) {
    SettingResult setting;
    setting.setting = facts.sweep->settings[i];
    const ArmIndex arm = setting.setting.arm;
    if (state.choice.best == i) setting.standing = Standing::kBest;
    if (const auto& judged = state.settings[i]) {
      setting.judged =
          gate_result(facts, judged->gate, rule, judged->state, of_whole_run(judged->gate));
      setting.judged->where =
          differences_between(arm_of(arms, arm), arm_of(arms, judged->gate.baseline));
      setting.standing = standing_of(*setting.judged);
      setting.doubts_best =
          setting.standing != Standing::kWorse && doubts_best(setting.judged->interval, rule.bound);
      setting.beats_best = setting.doubts_best && beats_best(setting.judged->interval, rule.bound);
    }
    setting.of_matched = fraction_if_any(
        facts, windows, arm, facts.arms.at(static_cast<std::size_t>(arm.value)).reference);
    setting.of_common = fraction_if_any(facts, windows, arm, facts.sweep->common_reference);
    setting.waits = waits_of(facts, setting, arms);
    sweep.settings.push_back(std::move(setting));
  }
  fill_answer(facts, state, &sweep);
  return sweep;
}

void withhold_answer(SweepResult& sweep) {
  drop_answer(sweep);
  sweep.why_no_answer = "the run ended before its plan";
  for (SettingResult& setting : sweep.settings) {
    if (setting.standing != Standing::kTied) continue;
    setting.standing = Standing::kUnresolved;
    setting.judged->outcome = Outcome::kInconclusive;
    setting.judged->why =
        "the run ended before its plan; the windows that were finished would be tied";
  }
}

}  // namespace traceml
