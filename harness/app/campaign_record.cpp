#include "harness/app/campaign_record.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "harness/analysis/campaign.h"
#include "harness/analysis/stored_arms.h"
#include "harness/app/launch_folder.h"
#include "harness/core/error.h"
#include "harness/plan/gate_keys.h"
#include "harness/plan/semantic_keys.h"

namespace traceml {
namespace {

using TextOf = std::function<std::string(const RunInfo&)>;

std::string over_launches(const std::vector<RunInfo>& infos, const TextOf& text_of) {
  std::set<std::string> distinct;
  for (const RunInfo& info : infos) distinct.insert(text_of(info));
  return fmt::format("{}", fmt::join(distinct, " and "));
}

TextOf fact(const std::string& name) {
  return [name](const RunInfo& info) { return fact_of(info, name); };
}

// "16 x H200" where a back-end says so, else the kind of device.
std::string device_of(const RunInfo& info) {
  const std::string device = fact_of(info, "device");
  return device.empty() ? info.device : device;
}

// The name in the environment of what `treatment` may name.
std::string fact_name_of(const std::string& field) {
  return field == "commit" ? "build_commit" : field;
}

std::map<std::string, std::string> software_of(const std::vector<RunInfo>& infos) {
  std::map<std::string, std::string> software;
  for (const std::string& field : treatment_fields()) {
    const std::string value = over_launches(infos, fact(fact_name_of(field)));
    if (!value.empty()) software[field] = value;
  }
  return software;
}

// All facts that no other part of the fingerprint holds.
std::map<std::string, std::string> recorded_of(const std::vector<RunInfo>& infos) {
  std::set<std::string> compared = {"device", "ranks_on_node"};
  for (const std::string& field : treatment_fields()) compared.insert(fact_name_of(field));
  std::map<std::string, std::string> recorded;
  for (const auto& [name, value] : infos.front().environment.facts) {
    if (!compared.contains(name)) recorded[name] = over_launches(infos, fact(name));
  }
  return recorded;
}

}  // namespace

std::map<std::string, std::string> machine_of(const std::vector<RunInfo>& infos) {
  std::map<std::string, std::string> machine;
  machine["device"] = over_launches(infos, device_of);
  machine["world_size"] = std::to_string(infos.front().world_size);
  machine["ranks_per_node"] = over_launches(infos, fact("ranks_on_node"));
  const bool simulated = infos.front().exchange == "virtual";
  if (simulated || infos.front().device != "cpu") return machine;
  machine["processor"] = over_launches(infos, fact("cpu_model"));  // it is the device
  machine["cores"] = over_launches(infos, fact("cores_allowed"));
  return machine;
}

CampaignRecord record_of(const PooledLaunches& launches) {
  CampaignRecord record;
  record.created_utc = launches.infos.front().created_utc;
  for (const RunInfo& info : launches.infos) record.runs.push_back(text_of(info.run));
  record.machine = machine_of(launches.infos);
  record.software = software_of(launches.infos);
  record.recorded = recorded_of(launches.infos);
  record.arms = stored_arms(launches.plan.facts, launches.records);
  for (const ArmConfig& arm : launches.plan.config.arms) {
    const auto stored = record.arms.find(arm.name);
    if (stored == record.arms.end()) continue;
    stored->second.settings = semantic_settings(launches.plan.config, arm);
  }
  return record;
}

void require_sound(const std::string& out, const PooledLaunches& launches,
                   const CampaignRecord& record) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{} is no campaign to hold others against: {}", out, why));
  };
  if (const auto late = timed_out_launch(launches.lost)) {
    refuse(describe_timed_out(*late) + ", and a limit leaves out slow launches");
  }
  const auto finished = static_cast<std::size_t>(launches.finished);
  const std::string failed = too_many_failed(launches.lost, finished);
  if (!failed.empty()) refuse(failed);
  CampaignFacts facts = launches.plan.facts;  // each arm as if it were judged
  facts.stored_gates.clear();
  for (std::size_t i = 0; i < facts.arms.size(); ++i) {
    if (facts.arms[i].hidden) continue;
    const auto valid = record.arms.at(facts.arms[i].name).launches.size();
    if (valid < kFewestLaunchesOfACampaign) {
      refuse(fmt::format("it has {} finished and valid launch{} of {}, and a campaign needs {}",
                         valid, valid == 1 ? "" : "es", facts.arms[i].name,
                         kFewestLaunchesOfACampaign));
    }
    GateSpec gate;
    gate.candidate = {static_cast<int>(i)};
    gate.baseline = facts.arms[i].reference.value_or(gate.candidate);
    gate.stored = StoredSpec{};
    facts.stored_gates.push_back(gate);
  }
  const AgainstStored nothing{record, std::vector<PinnedBaseline>(facts.stored_gates.size())};
  for (const GateResult& gate : summarize_campaign(facts, launches.records, &nothing).gates) {
    if (!gate.stored || !gate.reason || *gate.reason >= Reason::kSingleRun) continue;
    refuse(fmt::format("{}: {}", name_of(*gate.reason), gate.why));
  }
}

}  // namespace traceml
