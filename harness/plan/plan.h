#pragma once
// From a config to what is run: facts for the analysis, windows in seeded order. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/core/ids.h"
#include "harness/plan/config.h"
#include "harness/plan/trace_plan.h"

namespace traceml {

struct PlannedWindow {
  WindowIndex index;
  ArmIndex arm;
  int block = 0;
  int order = 0;
  std::int64_t first_batch =
      0;  // of this rank's sequence: (settle + steps) * block, equal for all arms
};

struct Plan {
  Config config;  // resolved, hidden arms added
  CampaignFacts facts;
  std::optional<TracePlan> trace;  // null: nothing is traced
  std::vector<std::string> notes;  // one sentence each: steps rounded up, a short warm-up, ...
};

// Adds the hidden arm of each overhead gate, resolves periods and steps, builds the gates. Throws
// UsageError for what no run can satisfy: a gate that names no arm, steps that are no multiple of
// the period, a margin that one launch can never pass, process-wide keys in an arm.
Plan make_plan(const Config& config, int world_size);

// The most steps that follow each other without the workload being begun anew.
std::int64_t most_steps_in_a_row(const Plan& plan);

// The seed of one of several launches, `launch` from 1: each has an order of windows of its own.
std::uint64_t seed_of_launch(std::uint64_t seed, int launch);

// The windows of block `block` for these arms: a seeded permutation in even blocks, its reverse in
// the odd block that follows (two arms: ABBA or BAAB). `first` is the index of the block's first
// window.
std::vector<PlannedWindow> make_block(const CampaignFacts& facts, int block,
                                      const std::vector<ArmIndex>& arms, WindowIndex first);

}  // namespace traceml
