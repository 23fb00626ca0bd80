#pragma once
// A simulated run of one rank with a planted input pipeline, judged as a real one is: arms
// "reference", without input, and "shipped". The reference's step takes 19.5 ms.

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/campaign.h"
#include "harness/backends/local/single_rank.h"
#include "harness/plan/config_keys.h"
#include "harness/runner/step_loop.h"
#include "workloads/spin/spin_workload.h"

namespace traceml::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline Plan pipeline_plan(const Settings& settings, Scheduling scheduling = Scheduling::kPerSample,
                          int ranks = 1) {
  Config config;
  config.seed = 3;
  Settings all = {{"workload.model", "spin"},
                  {"workload.device", "fake"},
                  {"workload.clock", "virtual"},
                  {"workload.batch_size", "8"},
                  {"workload.phases_ms.h2d", "0.1"},
                  {"workload.phases_ms.forward", "6"},
                  {"workload.phases_ms.backward", "12"},
                  {"workload.phases_ms.optimizer", "1"},
                  {"workload.allreduce_ms", "0.4"},
                  {"measure.steps", "48"},
                  {"measure.max_blocks", "6"}};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const auto& [path, text] : all) {
    if (const auto fault = find_config_key(path)->set(config, text)) {
      throw std::runtime_error(path + " " + *fault);
    }
  }
  config.input.scheduling = scheduling;
  config.arms = {make_arm(config, "reference"), make_arm(config, "shipped")};
  config.arms[0].input.source = Source::kSynthetic;
  return make_plan(config, ranks);
}

// All windows of the plan, by the real step loop.
inline RankRecords run_rank_of(const Plan& plan, Rank rank = {0}) {
  StepTimeTable table(plan);
  VirtualWorld world(plan.facts.world_size, Nanos{0});
  VirtualHostClock clock(world, rank);
  SingleTransport single;
  VirtualTransport transport(single, world);
  VirtualDeviceClock device(2000);
  const std::unique_ptr<Pace> pace = make_virtual_pace(world, table, rank, &device);
  SpinWorkload workload(plan, rank, table, *pace, &device);
  Position position;
  StepLoop loop(plan.facts, Nanos{0},
                LoopPorts{workload, transport, clock, &device, position, nullptr, nullptr});
  RankRecords records{rank, {}, {}, {}};
  const auto keep = [&](Measured measured) {
    if (measured.window) records.windows.push_back(*measured.window);
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(records.steps, measured.steps);
    append(records.collectives, measured.collectives);
    append(records.inputs, measured.inputs);
  };
  std::optional<int> rounds = 1;
  const std::vector<ArmIndex> arms = {ArmIndex{0}, ArmIndex{1}};
  for (const ArmIndex arm : arms) keep(loop.warm_up(arm, rounds, Nanos{0}));
  WindowIndex next{0};
  for (int block = 0; block < plan.facts.max_blocks; ++block) {
    for (const PlannedWindow& window : make_block(plan.facts, block, arms, next)) {
      keep(loop.run(window));
    }
    next.value += std::ssize(arms);
  }
  return records;
}

inline InputSummary judged(const Plan& plan) {
  const CampaignSummary summary = summarize_campaign(plan.facts, {run_rank_of(plan)});
  return summary.arms.at(1).input.value();
}

// What is told of the arm "shipped".
inline InputSummary pipeline(const Settings& settings,
                             Scheduling scheduling = Scheduling::kPerSample) {
  return judged(pipeline_plan(settings, scheduling));
}

}  // namespace traceml::testing
