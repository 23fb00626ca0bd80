#include "harness/reports/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/plan/figures.h"
#include "harness/plan/sweep.h"
#include "harness/reports/figures.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/text.h"
#include "harness/reports/words.h"

namespace traceml {
namespace {

const std::string& name_of_arm(const CampaignFacts& facts, ArmIndex arm) {
  return facts.arms.at(static_cast<std::size_t>(arm.value)).name;
}

const std::string& name_of(const SweepResult& sweep, const CampaignFacts& facts, std::size_t i) {
  return name_of_arm(facts, sweep.settings[i].setting.arm);
}

// "workers=2,dtype=uint8" of "shipped[workers=2,dtype=uint8]".
std::string values_of(const SweepResult& sweep, const CampaignFacts& facts, std::size_t i) {
  const std::string& name = name_of(sweep, facts, i);
  const std::string opening = sweep.spec.arm + "[";
  if (!name.starts_with(opening) || !name.ends_with("]")) return name;
  return name.substr(opening.size(), name.size() - opening.size() - 1);
}

std::vector<std::size_t> cheapest_first(const SweepResult& sweep) {
  std::vector<std::size_t> order(sweep.settings.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[static_cast<std::size_t>(sweep.settings[i].setting.cost_rank)] = i;
  }
  return order;
}

std::string ratio_text(const SettingResult& setting) {
  return setting.judged ? change_of(*setting.judged) : kNull;
}

// "97.8 [97.1, 98.4]", in %.
std::string fraction_text(const std::optional<FractionFigure>& figure) {
  if (!figure) return kNull;
  std::string text = fixed(figure->fraction * 100, 1);
  if (figure->interval) {
    text += fmt::format(" [{}, {}]", fixed(figure->interval->lower * 100, 1),
                        fixed(figure->interval->upper * 100, 1));
  }
  return text;
}

std::string standing_text(const SweepResult& sweep, std::size_t i) {
  const std::string standing(name_of(sweep.settings[i].standing));
  return sweep.answer == i ? standing + ", answer" : standing;
}

// One reference matches all settings: then it is the common one, too.
bool has_one_reference(const SweepResult& sweep, const CampaignFacts& facts) {
  return std::all_of(sweep.settings.begin(), sweep.settings.end(), [&](const SettingResult& one) {
    return facts.arms.at(static_cast<std::size_t>(one.setting.arm.value)).reference ==
           sweep.spec.common_reference;
  });
}

// "elsewhere"; of a setting that waits, what the stages of its loader say: "read-bound", "input,
// needs 4" workers.
std::string limit_text(const SettingResult& setting, const ArmSummary& arm) {
  if (!setting.waits || !setting.waits->limit) return kNull;
  const Limit limit = *setting.waits->limit;
  if (limit != Limit::kInput || !arm.input) return std::string(name_of(limit));
  const InputDiagnosis& diagnosis = arm.input->diagnosis;
  switch (diagnosis.cause) {
    case InputCause::kRead:
    case InputCause::kSlowFiles:
    case InputCause::kCopy:
      return std::string(words_of(diagnosis.cause));
    case InputCause::kDecode:
      if (diagnosis.workers_needed)
        return fmt::format("input, needs {}", *diagnosis.workers_needed);
      break;
    case InputCause::kConsumer:
    case InputCause::kUnknown:
      break;
  }
  return std::string(name_of(limit));
}

std::vector<std::string> setting_row(const SweepResult& sweep, const CampaignSummary& summary,
                                     const CampaignFacts& facts, std::size_t i) {
  const SettingResult& setting = sweep.settings[i];
  const auto& waits = setting.waits;
  std::vector<std::string> row = {values_of(sweep, facts, i), standing_text(sweep, i),
                                  ratio_text(setting), fraction_text(setting.of_matched)};
  if (!has_one_reference(sweep, facts)) row.push_back(fraction_text(setting.of_common));
  const std::vector<std::string> rest = {
      waits ? percent(waits->share, 1) : kNull,
      waits ? percent(waits->of_reference, 1) : kNull,
      limit_text(setting, summary.arms.at(static_cast<std::size_t>(setting.setting.arm.value))),
      setting.judged ? std::to_string(setting.judged->blocks) : kNull,
      std::to_string(setting.setting.loader_threads),
      bytes_figure(setting.setting.loader_bytes)};
  row.insert(row.end(), rest.begin(), rest.end());
  return row;
}

std::string waits_caption(const SweepResult& sweep) {
  for (const SettingResult& setting : sweep.settings) {
    if (setting.waits) return std::string(clock_name(setting.waits->clock));
  }
  return "no clock";
}

// Of the widest bar: all of the common reference's throughput, or of the fastest setting's.
constexpr std::size_t kBar = 30;

std::string bar_of(double share) {
  const double filled = std::clamp(share, 0.0, 1.2) * static_cast<double>(kBar);
  return std::string(static_cast<std::size_t>(std::lround(filled)), '=');
}

std::string knee_text(const SweepResult& sweep, const SweepCurve& curve) {
  const std::string& key = sweep.spec.keys[curve.key];
  const auto value = [&](std::size_t setting) {
    return sweep.settings[setting].setting.values[curve.key];
  };
  switch (curve.knee) {
    case Knee::kFound:
      return fmt::format("knee: {} {}, the smallest value that is as fast as the best{}.", key,
                         value(*curve.at),
                         *curve.at == curve.order.front() ? " and the smallest of the range" : "");
    case Knee::kOpen: {
      std::vector<std::string> open;
      for (const std::size_t setting : curve.order) {
        if (setting == *curve.at) break;
        if (sweep.settings[setting].standing == Standing::kUnresolved) {
          open.push_back(value(setting));
        }
      }
      return fmt::format("knee: {} at {} or below; unresolved: {}.", key, value(*curve.at),
                         joined(open, ", "));
    }
    case Knee::kBeyond:
      return fmt::format(
          "no knee inside the range: {} {} is the best and {}, the value before it, is worse; try "
          "larger ones.",
          key, value(curve.order.back()), value(curve.order[curve.order.size() - 2]));
    case Knee::kNone:
      break;
  }
  return "";
}

}  // namespace

std::string sweep_word(const SweepResult& sweep) {
  if (!sweep.answer) return "NO ANSWER";
  return sweep.open.empty() && sweep.doubts.empty() ? "SWEEP" : "SWEEP OPEN";
}

std::string sweep_answer(const SweepResult& sweep, const CampaignFacts& facts) {
  if (!sweep.answer) return sweep.why_no_answer;
  const bool is_best = sweep.answer == sweep.best;
  std::string text =
      name_of(sweep, facts, *sweep.answer) +
      (is_best ? " is the best setting" : " is the cheapest setting tied with the best");
  if (sweep.open.empty() && is_best) text += ", and no cheaper one is tied with it";
  const auto add = [&](const std::string& what, const std::vector<std::size_t>& settings) {
    std::vector<std::string> names;
    for (const std::size_t i : settings) names.push_back(name_of(sweep, facts, i));
    if (!names.empty()) text += "; " + what + ": " + joined(names, ", ");
  };
  add("cheaper and unresolved", sweep.open);
  add("perhaps faster than the best by more than " + margin_percent(sweep.spec.delta),
      sweep.doubts);
  return text;
}

std::vector<std::string> sweep_sentences(const SweepResult& sweep, const CampaignFacts& facts) {
  std::vector<std::string> said;
  if (sweep.answer) {
    const SettingResult& answer = sweep.settings[*sweep.answer];
    std::string reaches;
    if (answer.judged) {
      reaches = fmt::format("{} % wall per step over {}, allows < {}", ratio_text(answer),
                            name_of(sweep, facts, *sweep.best), margin_percent(sweep.spec.delta));
    }
    if (answer.of_matched) {
      reaches += fmt::format("{}{} % of its input-free reference's throughput",
                             reaches.empty() ? "" : "; ", fraction_text(answer.of_matched));
    }
    if (!reaches.empty()) said.push_back(reaches);
  }
  for (const std::size_t i : sweep.open) {
    const GateResult& judged = *sweep.settings[i].judged;
    said.push_back(fmt::format("{} is unresolved: {}{}", name_of(sweep, facts, i),
                               judged.reason ? fmt::format("{}, ", name_of(*judged.reason)) : "",
                               judged.why));
  }
  said.push_back(fmt::format("{} settings of {} over {}; cheapest means {}", sweep.settings.size(),
                             sweep.spec.arm, joined(sweep.spec.keys, ", "), kCostInWords));
  return said;
}

std::string sweep_basis(const SweepResult& sweep, const CampaignFacts& facts) {
  return fmt::format(
      "Sweep: wall per step, host clock, device synchronised, max over ranks, as ratios within "
      "blocks of this launch to the setting that was the best of the first {} blocks; only later "
      "blocks judge. tied: proven less than {} slower. worse: proven slower by more. Any such "
      "claim of the whole sweep is wrong with probability {:.4g} % at most; intervals allow for "
      "{:.4g} % (sd) between launches.",
      kChoosingBlocks, margin_percent(sweep.spec.delta), facts.alpha * 100,
      facts.interaction_sd * 100);
}

Table sweep_table(const SweepResult& sweep, const CampaignSummary& summary,
                  const CampaignFacts& facts) {
  const bool one_reference = has_one_reference(sweep, facts);
  Table table;
  table.title = "Settings of " + sweep.spec.arm;
  table.caption = fmt::format(
      "cheapest first. over the best: % wall per step, host clock, max over ranks, with the "
      "interval that decides. {}, with 90 % intervals. waits: input_wait and exposed h2d, share of "
      "the step, mean of ranks and steps, {}; ref. waits: those of the matched reference.",
      one_reference ? "of ref.: % of the throughput of the input-free reference, which matches all"
                    : "of ref., of common ref.: % of the throughput of the matched and of one "
                      "common input-free reference",
      waits_caption(sweep));
  table.columns = {
      {"setting", true, 0, true}, {"standing", true, 0, false}, {"over the\nbest"}, {"of ref."}};
  if (!one_reference) table.columns.push_back({"of common\nref."});
  const std::vector<Column> rest = {
      {"waits", false, 1, false},           {"ref.\nwaits", false, 3, false},
      {"limited\nby", true, 0, false},      {"blocks", false, 4, false},
      {"loader\nthreads", false, 2, false}, {"loader\nbytes", false, 5, false}};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const std::size_t i : cheapest_first(sweep)) {
    table.rows.push_back(setting_row(sweep, summary, facts, i));
  }
  table.remarks = {
      "limited by, a diagnosis: nothing where a setting lacks less than the margin to its "
      "reference; input where at least half of what it lacks is waiting, with the workers that its "
      "loader needs; else elsewhere."};
  return table;
}

std::optional<Table> curve_table(const SweepResult& sweep, const CampaignSummary& summary) {
  if (!sweep.curve) return std::nullopt;
  const auto images = [&](std::size_t i) {
    return summary.arms.at(static_cast<std::size_t>(sweep.settings[i].setting.arm.value))
        .images_per_s;
  };
  double fastest = 0;
  for (std::size_t i = 0; i < sweep.settings.size(); ++i) {
    fastest = std::max(fastest, images(i).value_or(0));
  }
  const bool of_common = sweep.spec.common_reference.has_value();
  Table table;
  table.title = "Curve";
  table.caption = fmt::format(
      "throughput against {}; images/s: mean of windows, host clock. bar: share of the throughput "
      "of {}.",
      sweep.spec.keys[sweep.curve->key],
      of_common ? "the common input-free reference, over the blocks in which both ran"
                : "the fastest setting");
  table.columns = {{sweep.spec.keys[sweep.curve->key], false, 0, true},
                   {"images/s"},
                   {"share"},
                   {"standing", true, 0, false},
                   {"bar", true, 1, false}};
  for (const std::size_t i : sweep.curve->order) {
    const SettingResult& setting = sweep.settings[i];
    std::optional<double> share;
    if (of_common && setting.of_common) share = setting.of_common->fraction;
    if (!of_common && images(i) && fastest > 0) share = *images(i) / fastest;
    const auto rate = images(i);
    table.rows.push_back({setting.setting.values[sweep.curve->key],
                          !rate         ? kNull
                          : *rate < 100 ? fixed(*rate, 1)
                                        : grouped(std::llround(*rate)),
                          percent(share, 1), standing_text(sweep, i), share ? bar_of(*share) : ""});
  }
  const std::string knee = knee_text(sweep, *sweep.curve);
  if (!knee.empty()) table.remarks.push_back(knee);
  return table;
}

}  // namespace traceml
