#pragma once
// Raw records of invented campaigns with known effects: one wall time per window, noise and drift
// on the log scale, phases that add up. For tests of whatever reads records or summaries.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml::synthetic {

struct Arm {
  std::string name = "shipped";
  double step_ms = 100;  // wall per step without noise
  Instrument instrument = Instrument::kEvents;
  double input_wait_ms = 0.5;
  double decode_ms = 0;   // 0: the phase does not occur
  double outside_ms = 0;  // between the optimizer and the next step
  bool input_free = false;
  std::optional<int> reference;
  std::int64_t global_batch = 64;
  std::int64_t queue_capacity = 0;
};

struct Campaign {
  std::vector<Arm> arms = {Arm{}, Arm{}};
  std::vector<GateSpec> gates;
  int world_size = 1;
  int blocks = 20;  // recorded
  int max_blocks = 20;
  std::int64_t steps = 8;
  std::int64_t settle_steps = 1;
  double noise = 0;  // sd of ln(wall) of one window; a pair's is sqrt(2) times it
  double drift = 0;  // ln(wall) of the last window against the first, linear
  double interaction_sd = 0;
  std::vector<double> warmup_ms;  // wall of each warm-up step of every arm; empty: none recorded
  std::vector<double> late_ms;    // by rank: arrival at the all-reduce after the first; empty: none
  bool with_steps = false;
  bool with_device_times = false;  // half of the host's
  bool in_turn = false;            // all blocks in the arms' order instead of a seeded one
  std::uint64_t seed = 1;
};

inline GateSpec gate(GateKind kind, int candidate, int baseline, double delta) {
  GateSpec spec;
  spec.name = "gate " + std::to_string(candidate) + " against " + std::to_string(baseline);
  spec.kind = kind;
  spec.candidate = ArmIndex{candidate};
  spec.baseline = ArmIndex{baseline};
  spec.delta = delta;
  if (kind == GateKind::kMinFraction) spec.min_fraction = 1 / (1 + delta);
  return spec;
}

inline CampaignFacts facts_of(const Campaign& campaign) {
  CampaignFacts facts;
  facts.world_size = campaign.world_size;
  facts.steps_per_window = campaign.steps;
  facts.settle_steps = campaign.settle_steps;
  facts.warmup_steps = 16;
  facts.gates = campaign.gates;
  facts.max_blocks = campaign.max_blocks;
  facts.interaction_sd = campaign.interaction_sd;
  facts.seed = campaign.seed;
  for (const Arm& arm : campaign.arms) {
    ArmFacts own;
    own.name = arm.name;
    own.instrument = arm.instrument;
    own.global_batch = arm.global_batch;
    own.queue_capacity = arm.queue_capacity;
    own.input_free = arm.input_free;
    if (arm.reference) own.reference = ArmIndex{*arm.reference};
    facts.arms.push_back(std::move(own));
  }
  return facts;
}

namespace detail {

inline Nanos nanos(double ms) {
  return Nanos(std::llround(ms * 1e6));
}

inline void set_phase(const Campaign& campaign, StepRecord& step, Phase phase, double ms) {
  DualTime time;
  time.host = nanos(ms);
  if (campaign.with_device_times) time.device = nanos(ms / 2);
  step.phases[index_of(phase)] = time;
}

inline StepRecord step_of(const Campaign& campaign, const Arm& arm, double wall_ms) {
  StepRecord step;
  const double wait = arm.input_wait_ms;
  const double traced = wall_ms - wait - arm.outside_ms;
  const double compute = traced - arm.decode_ms;
  set_phase(campaign, step, Phase::kInputWait, wait);
  if (arm.decode_ms > 0) set_phase(campaign, step, Phase::kDecode, arm.decode_ms);
  set_phase(campaign, step, Phase::kForward, 0.3 * compute);
  set_phase(campaign, step, Phase::kBackward, 0.5 * compute);
  set_phase(campaign, step, Phase::kOptimizer, 0.1 * compute);
  set_phase(campaign, step, Phase::kTraced, traced);
  return step;
}

inline void add_steps(const Campaign& campaign, const WindowRecord& window, double wall_ms,
                      RankRecords& records) {
  const Arm& arm = campaign.arms[static_cast<std::size_t>(window.arm.value)];
  const double latest = campaign.late_ms.empty()
                            ? 0
                            : *std::max_element(campaign.late_ms.begin(), campaign.late_ms.end());
  for (std::int64_t i = 0; i < campaign.settle_steps + campaign.steps; ++i) {
    const double at_ms = wall_ms * static_cast<double>(i - campaign.settle_steps);
    const Nanos start = window.start_host + nanos(at_ms);
    if (arm.instrument != Instrument::kNone) {
      StepRecord step = step_of(campaign, arm, wall_ms);
      step.arm = window.arm;
      step.window = window.window;
      step.step = StepIndex{i};
      step.timed = i >= campaign.settle_steps;
      step.start_host = start;
      records.steps.push_back(step);
    }
    if (campaign.late_ms.empty()) continue;
    CollectiveRecord collective;
    collective.arm = window.arm;
    collective.window = window.window;
    collective.step = StepIndex{i};
    collective.bytes = 1 << 20;
    collective.issue_host = start;
    const double late = campaign.late_ms[static_cast<std::size_t>(records.rank.value)];
    collective.arrival = start + nanos(late);
    collective.start = start + nanos(latest);
    collective.end = start + nanos(latest + 1);
    records.collectives.push_back(collective);
  }
}

inline void add_warmup(const Campaign& campaign, RankRecords& records) {
  for (std::size_t index = 0; index < campaign.arms.size(); ++index) {
    const Arm& arm = campaign.arms[index];
    if (arm.instrument == Instrument::kNone) continue;
    for (std::size_t i = 0; i < campaign.warmup_ms.size(); ++i) {
      StepRecord step = step_of(campaign, arm, campaign.warmup_ms[i]);
      step.arm = ArmIndex{static_cast<int>(index)};
      step.step = StepIndex{static_cast<std::int64_t>(i)};
      records.steps.push_back(step);
    }
  }
}

}  // namespace detail

// The records of all ranks; the same for the same campaign.
inline std::vector<RankRecords> records_of(const Campaign& campaign) {
  std::mt19937_64 random(campaign.seed);
  std::normal_distribution<double> normal;
  std::vector<RankRecords> ranks(static_cast<std::size_t>(campaign.world_size));
  for (int rank = 0; rank < campaign.world_size; ++rank) {
    ranks[static_cast<std::size_t>(rank)].rank = Rank{rank};
    detail::add_warmup(campaign, ranks[static_cast<std::size_t>(rank)]);
  }
  std::vector<int> order(campaign.arms.size());
  std::iota(order.begin(), order.end(), 0);
  const double last = static_cast<double>(campaign.blocks) * static_cast<double>(order.size()) - 1;
  std::int64_t index = 0;
  Nanos now{0};
  for (int block = 0; block < campaign.blocks; ++block) {
    if (campaign.in_turn) {
      std::iota(order.begin(), order.end(), 0);
    } else if (block % 2 == 0) {
      std::shuffle(order.begin(), order.end(), random);
    } else {
      std::reverse(order.begin(), order.end());
    }
    for (std::size_t place = 0; place < order.size(); ++place, ++index) {
      const Arm& arm = campaign.arms[static_cast<std::size_t>(order[place])];
      const double drift = last > 0 ? campaign.drift * static_cast<double>(index) / last : 0;
      const double wall = arm.step_ms * std::exp(campaign.noise * normal(random) + drift);
      WindowRecord window;
      window.arm = ArmIndex{order[place]};
      window.block = block;
      window.order = static_cast<int>(place);
      window.window = WindowIndex{index};
      window.steps = campaign.steps;
      window.start_host = now;
      window.end_host = now + detail::nanos(wall * static_cast<double>(campaign.steps));
      now = window.end_host + Nanos(1000000);
      for (RankRecords& rank : ranks) {
        rank.windows.push_back(window);
        if (campaign.with_steps) detail::add_steps(campaign, window, wall, rank);
      }
    }
  }
  return ranks;
}

}  // namespace traceml::synthetic
