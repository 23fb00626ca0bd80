#include "harness/plan/gpu_decode_rules.h"

#include <algorithm>
#include <set>
#include <string>

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

bool is_named(const GateConfig& gate, const std::string& arm) {
  return gate.candidate == arm || gate.baseline == arm;
}

// What cannot be told without the arm.
std::string dependant_of(const Config& config, const ArmConfig& arm) {
  if (config.sweep.arm == arm.name) return "the sweep";
  if (config.trace.active > 0 && config.trace.arm == arm.name) return "the trace";
  for (const GateConfig& gate : config.gates) {
    if (is_named(gate, arm.name)) return "a gate";
  }
  const bool others = std::any_of(
      config.arms.begin(), config.arms.end(),
      [](const ArmConfig& other) { return reads_files(other) && !decodes_on_gpu(other); });
  return others ? "" : "the run";
}

}  // namespace

bool decodes_on_gpu(const ArmConfig& arm) {
  return reads_files(arm) && arm.input.decode != Decode::kCpu;
}

std::vector<std::string> leave_out_arms(const GpuDecodeLack& lack, Config* config) {
  std::vector<std::string> sentences;
  std::set<std::string> names;
  for (const ArmConfig& arm : config->arms) {
    const std::string why = lack_of(arm, lack);
    if (why.empty()) continue;
    if (const std::string needs = dependant_of(*config, arm); !needs.empty()) {
      throw UsageError(opening_for_arm(*config, arm, "input.decode") + "the arm " +
                       shown(arm.name) + " cannot run here, and " + needs + " needs it: " + why);
    }
    names.insert(arm.name);
    sentences.push_back(arm.name + " was left out: " + why);
  }
  std::erase_if(config->arms, [&](const ArmConfig& arm) { return names.contains(arm.name); });
  return sentences;
}

void check_gpu_decode(const Config& config) {
  for (const ArmConfig& arm : config.arms) {
    if (arm.command.words.empty()) check_arm(config, arm);
  }
}

}  // namespace traceml
