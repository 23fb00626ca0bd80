#include "harness/app/pooled_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/analysis/campaign.h"
#include "harness/analysis/confirmation.h"
#include "harness/analysis/gate_replay.h"
#include "harness/analysis/launch_pool.h"
#include "harness/app/campaign_record.h"
#include "harness/app/launch_folder.h"
#include "harness/app/stored_gates.h"
#include "harness/codec/baseline_snapshot.h"
#include "harness/codec/config_file.h"
#include "harness/codec/gate_figures.h"
#include "harness/codec/hosts_file.h"
#include "harness/codec/raw_files.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/semantic_keys.h"

namespace traceml {
namespace {

// Facts of the machine and the software that are not the same in all launches.
void warn_of_environments(const std::vector<RunInfo>& infos, std::vector<std::string>* warnings) {
  std::vector<std::string> differing;
  for (const auto& [name, value] : infos.front().environment.facts) {
    const bool same =
        std::all_of(infos.begin(), infos.end(), [&, &key = name](const RunInfo& info) {
          return fact_of(info, key) == fact_of(infos.front(), key);
        });
    if (!same) differing.push_back(name);
  }
  if (differing.empty()) return;
  warnings->push_back(fmt::format("launches ran in different environments: they differ in {}",
                                  fmt::join(differing, ", ")));
}

// Those that not all launches have are named after theirs: "launches 1, 4: ...".
std::vector<std::string> notes_of_all(const std::vector<RunInfo>& infos) {
  std::vector<std::string> order;
  std::map<std::string, std::set<std::size_t>> launches;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    for (const std::string& note : infos[i].notes) {
      if (launches[note].empty()) order.push_back(note);
      launches[note].insert(i + 1);
    }
  }
  std::vector<std::string> notes;
  for (const std::string& note : order) {
    const std::set<std::size_t>& in = launches[note];
    notes.push_back(in.size() == infos.size()
                        ? note
                        : fmt::format("launch{} {}: {}", in.size() == 1 ? "" : "es",
                                      fmt::join(in, ", "), note));
  }
  return notes;
}

// What holds for all launches; counters are sums.
RunInfo common_info(const std::vector<RunInfo>& infos) {
  RunInfo common = infos.front();
  common.notes = notes_of_all(infos);
  common.counters.clear();
  std::set<std::string> distortions;
  for (const RunInfo& info : infos) {
    for (const auto& [name, count] : info.counters) common.counters[name] += count;
    distortions.insert(info.distortions.begin(), info.distortions.end());
  }
  common.distortions.assign(distortions.begin(), distortions.end());
  return common;
}

// Aliases are those of one launch: they stand for all where each ran on the same machines. A
// hosts.json that is not there, as in a folder that was shared, tells of no difference.
void name_common_nodes(const std::string& out, int before, PooledLaunches* pooled) {
  const std::vector<RunInfo>& infos = pooled->infos;
  bool same = true;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const int number = before + static_cast<int>(i) + 1;
    const Nodes own = read_hosts(hosts_file(dir_of_launch(out, number)));
    if (pooled->places.hosts.empty()) pooled->places = own;
    same &= infos[i].nodes == infos.front().nodes;
    same &= own.hosts.empty() || own.hosts == pooled->places.hosts;
    if (!own.hosts.empty() && own.gpus != pooled->places.gpus) pooled->places.gpus.clear();
  }
  if (same) return;
  pooled->info.nodes.clear();
  pooled->places = {};
  pooled->warnings.push_back(
      "launches ran on different nodes, so none is named for a rank; hosts.json of each launch has "
      "its own");
}

// The plan of the campaign, of which each launch was planned.
Plan plan_of_campaign(const std::vector<RunInfo>& infos, const std::string& out) {
  int launches = 0;
  for (const RunInfo& info : infos) {
    launches = std::max(launches, read_config_text(info.config_text, out, {}).measure.launches);
  }
  for (const RunInfo& info : infos) {
    const MeasureConfig measure = read_config_text(info.config_text, out, {}).measure;
    if (measure.launch <= measure.launches || measure.launches == launches) continue;
    throw UsageError(fmt::format(
        "launch {} in {} measures {} launches again, but the campaign went on to {}; measure anew "
        "into another --out",
        measure.launch, out, measure.launches, launches));
  }
  Config config = read_config_text(infos.front().config_text, out, {});
  if (launches <= 1) {
    throw UsageError(fmt::format("{} holds runs that are not launches of one campaign", out));
  }
  config.measure.launch = 0;
  config.measure.launches = launches;
  Plan plan = make_plan(config, infos.front().world_size);
  plan.facts = facts_over_launches(plan.facts);
  return plan;
}

// As any other reason for no verdict: `inconclusive: pass` holds for it, and a failure stays one.
void withhold_for_failures(const std::string& why, CampaignSummary& summary) {
  bool undecided = false;
  for (GateResult& gate : summary.gates) {
    if (gate.outcome != Outcome::kPass) continue;
    gate.outcome = Outcome::kInconclusive;
    gate.reason = Reason::kTooFewUnits;
    gate.all_reasons.insert(gate.all_reasons.begin(), Reason::kTooFewUnits);
    gate.why = why;
    undecided |= !gate.spec.inconclusive_passes;
  }
  if (!undecided || summary.outcome != Outcome::kPass) return;
  summary.outcome = Outcome::kInconclusive;
  summary.reason = Reason::kTooFewUnits;
  summary.exit_code = value_of(ExitCode::kInconclusive);
}

std::map<std::string, PinnedBaseline> baselines_in(const std::string& out) {
  std::map<std::string, PinnedBaseline> baselines = read_baselines(baselines_file(out));
  for (auto& [store, baseline] : baselines) {
    for (CampaignRecord& campaign : baseline.campaigns) {
      for (auto& [name, arm] : campaign.arms) add_younger_keys(&arm.settings);
    }
  }
  return baselines;
}

// What is to be typed; RUN_DIR, since the folder is another one wherever a report is made.
std::string advice_on(const GateResult& gate, const PinnedBaseline& baseline) {
  const std::string& store = gate.spec.stored->store;
  if (baseline.campaigns.size() >= kFewestCampaigns) return "";
  if (baseline.stored < static_cast<int>(kFewestCampaigns)) {
    return fmt::format("; to store this one: traceml-bench baseline add {} RUN_DIR", store);
  }
  return fmt::format("; to pin five: traceml-bench baseline pin {} CAMPAIGN...", store);
}

CampaignSummary summarize(const PooledLaunches& launches) {
  const CampaignFacts& facts = launches.plan.facts;
  if (facts.stored_gates.empty()) return summarize_campaign(facts, launches.records);
  AgainstStored stored{record_of(launches), {}};
  for (const GateSpec& gate : facts.stored_gates) {
    stored.baselines.push_back(launches.baselines.at(gate.stored->store));
  }
  CampaignSummary summary = summarize_campaign(facts, launches.records, &stored);
  for (GateResult& gate : summary.gates) {
    if (gate.reason != Reason::kBaselineCampaigns) continue;
    gate.why += advice_on(gate, launches.baselines.at(gate.spec.stored->store));
  }
  return summary;
}

bool is_whole(const PooledLaunches& launches) {
  return launches.finished >= launches.plan.facts.launches;
}

// Of these infos of launches `before` + 1 and so on; `pooled` holds its plan.
void read_records(const std::string& out, int before, std::vector<RunInfo> infos,
                  bool accept_edited, PooledLaunches* pooled) {
  pooled->finished = static_cast<int>(infos.size());
  pooled->info = common_info(infos);
  pooled->infos = std::move(infos);
  pooled->plan.facts.distortions = pooled->info.distortions;
  pooled->plan.facts.left_out_gates = pooled->info.left_out_gates;
  warn_of_environments(pooled->infos, &pooled->warnings);
  name_common_nodes(out, before, pooled);
  const std::vector<std::string> arms = arm_names(pooled->plan.facts);
  for (int i = 0; i < pooled->finished; ++i) {
    const RunInfo& info = pooled->infos[static_cast<std::size_t>(i)];
    const std::string raw = dir_of_launch(out, before + i + 1) + "/raw";
    const Plan own = make_plan(read_config_text(info.config_text, raw, {}), info.world_size);
    std::vector<RankRecords> records =
        read_run_records({raw, info.run, arms, accept_edited}, own.facts, &pooled->warnings);
    append_launch(pooled->plan.facts, i, std::move(records), &pooled->records);
  }
}

std::string what_is_missing(const PooledLaunches& launches) {
  const int planned = launches.plan.facts.launches;
  const std::string go_on = "repeat the launch command with this --out to go on";
  if (!is_whole(launches)) {
    return fmt::format("{} of at most {} launches are finished; {}", launches.finished, planned,
                       go_on);
  }
  return fmt::format("a gate failed, and {} of {} launches that measure it again are finished; {}",
                     launches.again ? launches.again->finished : 0, planned, go_on);
}

}  // namespace

std::vector<LostLaunch> lost_at_first(const PooledLaunches& launches) {
  std::vector<LostLaunch> lost = launches.lost;
  std::erase_if(
      lost, [&](const LostLaunch& launch) { return launch.number > launches.plan.facts.launches; });
  return lost;
}

bool is_measured_again(const PooledLaunches& launches) {
  return launches.again && is_whole(*launches.again);
}

PooledLaunches read_launches(const std::string& out, bool accept_edited) {
  PooledLaunches pooled;
  pooled.lost = lost_launches(out);
  std::vector<RunInfo> infos;
  for (FinishedLaunch& launch : finished_launches(out, accept_edited)) {
    infos.push_back(std::move(launch.info));
    require_same_campaign(out, infos.front(), infos.back());
  }
  if (infos.empty()) {
    const auto late = timed_out_launch(pooled.lost);
    throw RunError(fmt::format("{}/launches has no finished launch{}", out,
                               late ? "; " + describe_timed_out(*late) : ""));
  }
  pooled.plan = plan_of_campaign(infos, out);
  if (!pooled.plan.facts.stored_gates.empty()) pooled.baselines = baselines_in(out);
  if (const std::string lost = describe_lost(pooled.lost); !lost.empty()) {
    pooled.warnings.push_back(lost);
  }
  const int planned = pooled.plan.facts.launches;
  if (std::ssize(infos) > planned) {
    std::vector<RunInfo> again(infos.begin() + planned, infos.end());
    infos.resize(static_cast<std::size_t>(planned));
    pooled.again = std::make_unique<PooledLaunches>();
    pooled.again->plan = pooled.plan;
    pooled.again->baselines = pooled.baselines;
    read_records(out, planned, std::move(again), accept_edited, pooled.again.get());
    for (const std::string& warning : pooled.again->warnings) {
      pooled.warnings.push_back("of the launches that measured again: " + warning);
    }
  }
  read_records(out, 0, std::move(infos), accept_edited, &pooled);
  return pooled;
}

bool has_ended(const PooledLaunches& launches) {
  const CampaignFacts& facts = launches.plan.facts;
  // A campaign that is a unit ends where it was planned to, whatever its launches say.
  if (!facts.stored_gates.empty()) {
    if (!is_whole(launches)) return false;
    return is_measured_again(launches) || !awaits_confirmation(summarize(launches));
  }
  for (const int look : looks_of(facts)) {
    if (look > launches.finished) continue;
    if (decide_at_look(facts, launches.records, look).stop) return true;
  }
  return false;
}

FinishedRun judge_launches(const PooledLaunches& launches) {
  FinishedRun run;
  run.info = launches.info;
  run.plan = launches.plan;
  run.summary = summarize(launches);
  run.summary.warnings.insert(run.summary.warnings.end(), launches.warnings.begin(),
                              launches.warnings.end());
  if (is_measured_again(launches)) {
    const CampaignSummary again = summarize(*launches.again);
    confirm_failures(&again, run.summary);
  } else {
    confirm_failures(nullptr, run.summary);
  }
  const std::string why =
      too_many_failed(lost_at_first(launches), static_cast<std::size_t>(launches.finished));
  if (!why.empty()) withhold_for_failures(why, run.summary);
  const auto late = timed_out_launch(launches.lost);
  if (late) {
    run.info.failure =
        describe_timed_out(*late) + ", which ended the campaign: a limit leaves out slow launches";
  } else if (!has_ended(launches)) {
    run.info.failure = what_is_missing(launches);
  }
  if (!run.info.failure.empty()) {
    run.info.finished = false;
    withhold_passes(run.summary);
  }
  run.summary.exit_code = exit_code_of(run.info, run.summary);
  return run;
}

}  // namespace traceml
