#include "harness/plan/arms.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "harness/core/error.h"
#include "harness/plan/command_keys.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/gpu_decode_rules.h"
#include "harness/plan/loader_memory.h"
#include "harness/plan/nearest.h"
#include "harness/plan/spin_rules.h"
#include "harness/plan/sweep.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

const ArmConfig* find_arm(const Config& config, const std::string& name) {
  for (const ArmConfig& arm : config.arms) {
    if (arm.name == name) return &arm;
  }
  return nullptr;
}

std::string mode_name(Instrument mode) {
  Config view;
  view.measure.instrument = mode;
  return text_of(view, "measure.instrument");
}

void check_name(const Config& config, const ArmConfig& arm) {
  const std::string opening = opening_for(config, "arms." + arm.name);
  const auto name = identifier_form().read(arm.name);
  if (!name.value) throw UsageError(opening + "the name of an arm " + name.fault);
  if (find_arm(config, arm.name) != &arm) {
    throw UsageError(opening + "two arms are named " + shown(arm.name));
  }
}

void check_arm(const Config& config, const ArmConfig& arm) {
  const std::string opening = opening_for(config, "arms." + arm.name);
  for (const std::string& path : arm.overridden) {
    const ConfigKey* key = find_config_key(path);
    if (key != nullptr && key->scope == KeyScope::kArm) continue;
    const std::string why = key != nullptr && key->scope == KeyScope::kProcess
                                ? " is process-wide, and the arms of a launch share their processes"
                                : " holds for the whole run";
    throw UsageError(opening + path + why + "; set it at the top, not in the arm " +
                     shown(arm.name));
  }
  if (reads_files(arm) && arm.input.dataset.empty()) {
    throw UsageError(opening + "the arm " + shown(arm.name) +
                     " reads a data set, but input.dataset is not set; name its folder or set "
                     "input.source: synthetic");
  }
  if (reads_files(arm) && arm.input.pin_copy && (!arm.input.pinned || arm.input.workers == 0)) {
    throw UsageError(opening_for_arm(config, arm, "input.pin_copy") +
                     "input.pin_copy hands what loader threads made on to page-locked memory; it "
                     "needs input.pinned: true and input.workers of at least 1");
  }
}

void add_hidden_arm(Config* config, const ArmConfig& arm, Instrument mode) {
  const std::string name = arm.name + "/" + mode_name(mode);
  if (find_arm(*config, name) != nullptr) return;
  ArmConfig hidden = arm;
  hidden.name = name;
  hidden.instrument = mode;
  hidden.overridden.insert("measure.instrument");
  hidden.hidden = true;
  config->arms.push_back(hidden);
}

int period_of(const ArmConfig& arm) {
  const bool stalls = has_loader(arm) && arm.input.scheduling == Scheduling::kPerBatch;
  return std::lcm(stalls ? std::max(1, arm.input.workers) : 1, planted_period_of(arm));
}

// Batches that the loader can hold ready; 0 where the training thread decodes.
std::int64_t queue_capacity_of(const ArmConfig& arm) {
  if (!has_loader(arm) || arm.input.workers == 0) return 0;
  const std::int64_t loaders =
      arm.input.scheduling == Scheduling::kPerBatch ? arm.input.workers : 1;
  const std::int64_t copied = arm.input.pin_copy ? kPinnedBatches : 0;
  return loaders * arm.input.prefetch + copied;
}

}  // namespace

bool reads_files(const ArmConfig& arm) {
  return arm.input.source == Source::kDataset && !arm.workload.spins() && arm.command.words.empty();
}

bool has_loader(const ArmConfig& arm) {
  const bool simulated = arm.input.source == Source::kDataset && arm.workload.spins() &&
                         arm.workload.loader_ms.any() && arm.command.words.empty();
  return simulated || reads_files(arm);
}

std::string opening_for(const Config& config, const std::string& key) {
  auto place = config.places.find(key);
  if (place == config.places.end()) place = config.places.find("");
  return place == config.places.end() ? "" : place->second + ": ";
}

std::string opening_for_arm(const Config& config, const ArmConfig& arm, const std::string& key) {
  const std::string own = "arms." + arm.name + "." + key;
  return opening_for(config, config.places.contains(own) ? own : key);
}

std::optional<ArmIndex> matched_reference(const Config& config, const ArmConfig& arm) {
  if (arm.input.source == Source::kSynthetic || !arm.command.words.empty()) return std::nullopt;
  for (int i = 0; i < static_cast<int>(config.arms.size()); ++i) {
    const ArmConfig& other = config.arms[static_cast<std::size_t>(i)];
    if (other.input.source == Source::kSynthetic && mismatches(config, arm, other).empty()) {
      return ArmIndex{i};
    }
  }
  return std::nullopt;
}

void complete_arms(Config* config) {
  config->arms = written_arms(*config);
  config->sweep.replaced.reset();
  if (config->arms.empty()) config->arms.push_back(make_arm(*config, kDefaultArm));
  if (config->arms.size() > kMaxArms) {
    throw UsageError(opening_for(*config, "arms") + std::to_string(config->arms.size()) +
                     " arms; one launch can interleave at most " + std::to_string(kMaxArms));
  }
  for (const ArmConfig& arm : config->arms) {
    check_name(*config, arm);
    check_arm(*config, arm);
  }
  expand_sweep(config);
  for (const ArmConfig& arm : config->arms) check_arm(*config, arm);
  check_commands(*config);
  check_models(*config);
  check_gpu_decode(*config);
}

void add_hidden_arms(Config* config) {
  for (const GateConfig& gate : config->gates) {
    if (gate.kind != GateKind::kMaxOverhead) continue;
    const ArmConfig* arm = find_arm(*config, gate.candidate);
    if (arm == nullptr) continue;  // the gate itself is refused later
    const ArmConfig written = *arm;
    if (written.instrument != *gate.overhead_of) add_hidden_arm(config, written, *gate.overhead_of);
    if (written.instrument != Instrument::kNone) add_hidden_arm(config, written, Instrument::kNone);
  }
}

std::optional<ArmIndex> arm_named(const Config& config, const std::string& name) {
  const ArmConfig* arm = find_arm(config, name);
  if (arm == nullptr) return std::nullopt;
  return ArmIndex{static_cast<int>(arm - config.arms.data())};
}

std::string instrumented_arm_of(const Config& config, const GateConfig& gate) {
  const ArmConfig* arm = find_arm(config, gate.candidate);
  const bool as_written = arm == nullptr || arm->instrument == *gate.overhead_of;
  return as_written ? gate.candidate : gate.candidate + "/" + mode_name(*gate.overhead_of);
}

std::string bare_arm_of(const Config& config, const GateConfig& gate) {
  const ArmConfig* arm = find_arm(config, gate.candidate);
  const bool as_written = arm != nullptr && arm->instrument == Instrument::kNone;
  return as_written ? gate.candidate : gate.candidate + "/" + mode_name(Instrument::kNone);
}

std::vector<ArmFacts> facts_of_arms(const Config& config, int world_size) {
  std::vector<ArmFacts> all;
  for (const ArmConfig& arm : config.arms) {
    const bool command = !arm.command.words.empty();
    ArmFacts facts;
    facts.name = arm.name;
    facts.instrument = command ? Instrument::kNone : arm.instrument;
    facts.global_batch =
        command ? 0 : static_cast<std::int64_t>(arm.workload.batch_size) * world_size;
    facts.period = period_of(arm);
    facts.queue_capacity = queue_capacity_of(arm);
    if (has_loader(arm)) facts.workers = arm.input.workers;
    facts.input_free = arm.input.source == Source::kSynthetic;
    facts.hidden = arm.hidden;
    facts.reference = matched_reference(config, arm);
    const Config view = seen_by(config, arm);
    for (const ConfigKey& key : config_keys()) {
      if (key.scope != KeyScope::kArm || is_command_key(key.path) != command) continue;
      facts.settings.emplace_back(key.path, key.get(view));
    }
    all.push_back(std::move(facts));
  }
  return all;
}

bool makes_the_batch(const std::string& key) {
  if (key == "workload.phases_ms.input_wait") return false;  // a reference has none
  if (key.starts_with("workload.loader_ms.")) return false;  // nor a loader
  return key == "input.dtype" || key.starts_with("workload.");
}

std::vector<std::string> mismatches(const Config& config, const ArmConfig& arm,
                                    const ArmConfig& reference) {
  const Config ours = seen_by(config, arm);
  const Config theirs = seen_by(config, reference);
  std::vector<std::string> differing;
  for (const ConfigKey& key : config_keys()) {
    if (!makes_the_batch(key.path)) continue;
    const std::string text = key.get(ours);
    const std::string other = key.get(theirs);
    if (text != other) differing.push_back(key.path + ": " + text + " against " + other);
  }
  return differing;
}

std::vector<std::string> arm_names(const CampaignFacts& facts) {
  std::vector<std::string> names;
  for (const ArmFacts& arm : facts.arms) names.push_back(arm.name);
  return names;
}

}  // namespace traceml
