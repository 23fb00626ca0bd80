#include "harness/plan/sweep.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/figures.h"
#include "harness/plan/gates.h"
#include "harness/plan/loader_memory.h"
#include "harness/plan/nearest.h"

namespace traceml {

namespace {

std::string leaf_of(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

std::string opening_of(const Config& config) {
  return config.sweep.where.empty() ? "" : config.sweep.where + ": ";
}

// Whether a name can hold the text as it stands.
bool is_plain(const std::string& text) {
  constexpr std::size_t kMost = 24;
  return !text.empty() && text.size() <= kMost && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-' || c == '+' || c == '%';
  });
}

// Equal settings have equal names.
void refuse_equal_settings(const Config& config) {
  std::set<std::string> names;
  for (const ArmConfig& setting : config.sweep.settings) {
    if (names.insert(setting.name).second) continue;
    throw UsageError(opening_for(config, "arms." + setting.name) + "the sweep has the setting " +
                     shown(setting.name) + " twice; keep one");
  }
}

bool is_named_by_a_gate(const Config& config, const std::string& arm) {
  return std::any_of(config.gates.begin(), config.gates.end(), [&](const GateConfig& gate) {
    return gate.candidate == arm || gate.baseline == arm;
  });
}

// "reference", or "reference[dtype=uint8]" where the settings have several kinds of batches.
std::string name_of_reference(const Config& config, const ArmConfig& setting) {
  std::string kind;
  for (const std::string& key : config.sweep.keys) {
    if (!makes_the_batch(key)) continue;
    const std::string text = text_of(seen_by(config, setting), key);
    kind += (kind.empty() ? "" : ",") + leaf_of(key) + "=" + text;
  }
  std::string name = kind.empty() ? "reference" : "reference[" + kind + "]";
  if (arm_named(config, name)) name = "reference[" + setting.name + "]";
  return name;
}

// The swept arm without input; its batches and what is done with them are those of the setting.
ArmConfig reference_for(const Config& config, const ArmConfig& swept, const ArmConfig& setting) {
  ArmConfig reference = swept;
  reference.name = name_of_reference(config, setting);
  reference.of_sweep = true;
  reference.workload = setting.workload;
  reference.input.dtype = setting.input.dtype;
  reference.input.source = Source::kSynthetic;
  reference.overridden.insert("input.source");
  for (const std::string& key : config.sweep.keys) {
    if (makes_the_batch(key)) reference.overridden.insert(key);
  }
  return reference;
}

void add_references(Config* config, const ArmConfig& swept) {
  for (const ArmConfig& setting : config->sweep.settings) {
    if (setting.input.source == Source::kSynthetic || matched_reference(*config, setting)) continue;
    config->arms.push_back(reference_for(*config, swept, setting));
  }
}

void check_can_be_answered(const Plan& plan, const SweepSpec& sweep) {
  const CampaignFacts& facts = plan.facts;
  const std::string opening = opening_of(plan.config);
  if (facts.launches > 0) {
    throw UsageError(opening +
                     "a sweep is judged within one launch; leave measure.launches out, and run "
                     "the config without `launch`");
  }
  const int least = kChoosingBlocks + facts.looks.front();
  if (facts.max_blocks < least) {
    throw UsageError(opening_for(plan.config, "measure.max_blocks") + "measure.max_blocks is " +
                     std::to_string(facts.max_blocks) + ", and a sweep needs " +
                     std::to_string(least) + ": " + std::to_string(kChoosingBlocks) +
                     " blocks choose the best setting, those after them judge");
  }
  const double margin = least_log_margin(facts, static_cast<int>(sweep.settings.size()) - 1);
  if (std::log1p(sweep.delta) > margin) return;
  // Upwards, so that the margin that is named is wide enough.
  const double enough = std::ceil(std::expm1(margin) * 1000) / 1000;
  throw UsageError(opening + "one launch cannot tell " + std::to_string(sweep.settings.size()) +
                   " settings apart to " + percent_figure(sweep.delta) +
                   ", because launches differ by themselves; widen the margin above " +
                   percent_figure(enough) + ", or sweep fewer settings");
}

void rank_costs(std::vector<SweepSetting>* settings) {
  std::vector<SweepSetting*> order;
  for (SweepSetting& setting : *settings) order.push_back(&setting);
  std::stable_sort(
      order.begin(), order.end(),
      [](const SweepSetting* one, const SweepSetting* two) { return is_cheaper(*one, *two); });
  for (std::size_t i = 0; i < order.size(); ++i) order[i]->cost_rank = static_cast<int>(i);
}

}  // namespace

std::vector<ArmConfig> written_arms(const Config& config) {
  std::vector<ArmConfig> arms;
  for (const ArmConfig& arm : config.arms) {
    if (!arm.hidden && !arm.of_sweep) arms.push_back(arm);
  }
  if (config.sweep.replaced) {
    const std::size_t at = std::min(config.sweep.replaced_at, arms.size());
    arms.insert(arms.begin() + static_cast<std::ptrdiff_t>(at), *config.sweep.replaced);
  }
  return arms;
}

std::string name_of_setting(const std::string& arm, const std::vector<std::string>& keys,
                            const std::vector<std::string>& texts,
                            const std::vector<std::vector<std::string>>& values_of_keys) {
  std::multiset<std::string> leaves;
  for (const std::string& key : keys) leaves.insert(leaf_of(key));
  std::string list;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string leaf = leaf_of(keys[i]);
    std::string text = texts[i];
    if (!is_plain(text)) {
      const auto& values = values_of_keys[i];
      const auto place = std::find(values.begin(), values.end(), text) - values.begin();
      text = "#" + std::to_string(place + 1);
    }
    list += (list.empty() ? "" : ",") + (leaves.count(leaf) > 1 ? keys[i] : leaf) + "=" + text;
  }
  return arm + "[" + list + "]";
}

void expand_sweep(Config* config) {
  SweepConfig& sweep = config->sweep;
  if (sweep.arm.empty()) return;
  refuse_equal_settings(*config);
  const auto index = arm_named(*config, sweep.arm);
  if (!index) {
    std::vector<std::string> names;
    for (const ArmConfig& arm : config->arms) names.push_back(arm.name);
    throw UsageError(opening_of(*config) + "the sweep names the arm " + shown(sweep.arm) +
                     ", which is not there" + did_you_mean(sweep.arm, names));
  }
  const auto at = config->arms.begin() + index->value;
  const ArmConfig swept = *at;
  if (!swept.command.words.empty()) {
    throw UsageError(opening_of(*config) +
                     "arms that are commands are not swept; write each setting as an arm, and "
                     "gates between them");
  }
  if (!is_named_by_a_gate(*config, sweep.arm)) {
    sweep.replaced = swept;
    sweep.replaced_at = static_cast<std::size_t>(index->value);
    config->arms.erase(at);
  }
  config->arms.insert(config->arms.end(), sweep.settings.begin(), sweep.settings.end());
  add_references(config, swept);
  if (config->arms.size() <= kMaxArms) return;
  throw UsageError(opening_of(*config) + "the sweep makes " + std::to_string(config->arms.size()) +
                   " arms of the config, references included; one launch can interleave at most " +
                   std::to_string(kMaxArms));
}

bool is_cheaper(const SweepSetting& one, const SweepSetting& other) {
  if (one.loader_threads != other.loader_threads) return one.loader_threads < other.loader_threads;
  return one.loader_bytes < other.loader_bytes;
}

std::optional<SweepSpec> sweep_of(const Plan& plan) {
  const SweepConfig& written = plan.config.sweep;
  if (written.arm.empty()) return std::nullopt;
  SweepSpec sweep;
  sweep.arm = written.arm;
  sweep.keys = written.keys;
  sweep.delta = written.margin;
  const std::vector<LoaderMemory> loaders = loaders_of(plan);
  for (const ArmConfig& arm : written.settings) {
    SweepSetting setting;
    setting.arm = arm_named(plan.config, arm.name).value();
    const Config view = seen_by(plan.config, arm);
    for (const std::string& key : written.keys) setting.values.push_back(text_of(view, key));
    setting.loader_threads = arm.input.source == Source::kDataset ? arm.input.workers : 0;
    for (const LoaderMemory& loader : loaders) {
      if (loader.arm == arm.name) setting.loader_bytes = loader.bytes();
    }
    const auto& reference =
        plan.facts.arms.at(static_cast<std::size_t>(setting.arm.value)).reference;
    if (!sweep.common_reference) sweep.common_reference = reference;
    sweep.settings.push_back(std::move(setting));
  }
  rank_costs(&sweep.settings);
  check_can_be_answered(plan, sweep);
  return sweep;
}

}  // namespace traceml
