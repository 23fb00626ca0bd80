#include "harness/plan/gpu_decode_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

void check_arm(const Config& config, const ArmConfig& arm) {
  const InputConfig& input = arm.input;
  const std::string decode = text_of(seen_by(config, arm), "input.decode");
  const auto refuse = [&](const std::string& key, const std::string& why) {
    throw UsageError(opening_for_arm(config, arm, key) + key + ": " +
                     text_of(seen_by(config, arm), key) + " in the arm " + shown(arm.name) + " " +
                     why);
  };
  if (input.hardware_share && input.decode != Decode::kGpu) {
    refuse("input.hardware_share",
           "is a matter of input.decode: gpu, and its decode is " + decode + "; leave it out");
  }
  if (!decodes_on_gpu(arm)) return;
  if (arm.workload.device == Device::kCpu) {
    refuse("input.decode", "needs CUDA, and workload.device is cpu; use decode: cpu");
  }
  const std::string on_gpu = "cannot be had with input.decode: " + decode + ", ";
  if (input.workers == 0) refuse("input.workers", on_gpu + "whose threads read the files; use 1");
  if (input.scheduling == Scheduling::kPerBatch) {
    refuse("input.scheduling", on_gpu + "whose workers share each batch; use per_sample");
  }
  if (!input.pinned) refuse("input.pinned", on_gpu + "whose batches are made there; leave it out");
  if (input.pin_copy) {
    refuse("input.pin_copy", on_gpu + "whose batches are made there; leave it out");
  }
  if (input.copy == Copy::kBlocking) {
    refuse("input.copy", on_gpu + "which copies no batch; leave it out");
  }
  if (input.scaled_decode == ScaledDecode::kAuto) {
    refuse("input.scaled_decode", on_gpu + "which decodes at full size; use off");
  }
}

// Why the arm cannot run; empty: it can.
std::string lack_of(const ArmConfig& arm, const GpuDecodeLack& lack) {
  if (!decodes_on_gpu(arm)) return "";
  if (!lack.all.empty()) return lack.all;
  return arm.input.hardware_share.value_or(0) > 0 ? lack.engines : "";
}

// What cannot be told without the arm.
std::string dependant_of(const Config& config, const ArmConfig& arm) {
  if (config.sweep.arm == arm.name) return "the sweep";
  if (config.trace.active > 0 && config.trace.arm == arm.name) return "the trace";
  const bool others = std::any_of(
      config.arms.begin(), config.arms.end(),
      [](const ArmConfig& other) { return reads_files(other) && !decodes_on_gpu(other); });
  return others ? "" : "the run";
}

using Why = std::map<std::string, std::string>;  // by arm

// Null: both arms of the gate run.
std::optional<LeftOutArms> left_out_of(const GateConfig& gate, const Why& why) {
  for (const std::string& arm : {gate.candidate, gate.baseline}) {
    const auto found = why.find(arm);
    if (found == why.end()) continue;
    const std::string& baseline = gate.baseline.empty() ? gate.candidate : gate.baseline;
    return LeftOutArms{gate.candidate, baseline,
                       "the arm " + arm + " cannot run here: " + found->second};
  }
  return std::nullopt;
}

// In the order of the report: those of this run before those against stored campaigns.
std::vector<GateSpec> leave_out_gates(const Why& why, const CampaignFacts& planned,
                                      Config* config) {
  std::vector<GateSpec> live, stored;
  std::size_t next_live = 0, next_stored = 0;
  std::erase_if(config->gates, [&](const GateConfig& gate) {
    GateSpec spec = gate.stored.empty() ? planned.gates.at(next_live++)
                                        : planned.stored_gates.at(next_stored++);
    spec.left_out = left_out_of(gate, why);
    if (!spec.left_out) return false;
    (gate.stored.empty() ? live : stored).push_back(std::move(spec));
    return true;
  });
  live.insert(live.end(), stored.begin(), stored.end());
  return live;
}

}  // namespace

bool decodes_on_gpu(const ArmConfig& arm) {
  return reads_files(arm) && arm.input.decode != Decode::kCpu;
}

LeftOut leave_out_arms(const GpuDecodeLack& lack, const CampaignFacts& planned, Config* config) {
  LeftOut left_out;
  Why why_of;
  for (const ArmConfig& arm : config->arms) {
    const std::string why = lack_of(arm, lack);
    if (why.empty()) continue;
    if (const std::string needs = dependant_of(*config, arm); !needs.empty()) {
      throw UsageError(opening_for_arm(*config, arm, "input.decode") + "the arm " +
                       shown(arm.name) + " cannot run here, and " + needs + " needs it: " + why);
    }
    why_of[arm.name] = why;
    left_out.sentences.push_back(arm.name + " was left out: " + why);
  }
  left_out.gates = leave_out_gates(why_of, planned, config);
  std::erase_if(config->arms, [&](const ArmConfig& arm) { return why_of.contains(arm.name); });
  return left_out;
}

void check_gpu_decode(const Config& config) {
  for (const ArmConfig& arm : config.arms) {
    if (arm.command.words.empty()) check_arm(config, arm);
  }
}

}  // namespace traceml
