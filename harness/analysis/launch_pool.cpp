#include "harness/analysis/launch_pool.h"

#include <algorithm>
#include <string>

namespace traceml {

namespace {

constexpr double kVoidedAtMost = 0.2;  // of the launches

RankRecords& slot_of(std::vector<RankRecords>* pool, Rank rank) {
  for (RankRecords& records : *pool) {
    if (records.rank == rank) return records;
  }
  pool->push_back({rank, {}, {}, {}});
  return pool->back();
}

template <class Record>
void move_windows(std::vector<Record>& records, std::int64_t windows) {
  for (Record& record : records) {
    if (record.window) record.window->value += windows;
  }
}

template <class Record>
void append(std::vector<Record>&& more, std::vector<Record>* all) {
  all->insert(all->end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

std::span<const BlockPair> blocks_of(const std::vector<BlockPair>& pairs, std::size_t launch,
                                     std::size_t per_launch) {
  const std::size_t first = std::min(launch * per_launch, pairs.size());
  return std::span(pairs).subspan(first, std::min(per_launch, pairs.size() - first));
}

std::optional<Millis> mean_wall(const std::vector<BlockWindow>& windows, int launch,
                                int per_launch) {
  Millis sum{};
  int count = 0;
  for (const BlockWindow& window : windows) {
    if (window.block / per_launch != launch || !window.valid()) continue;
    const std::optional<Millis> wall = wall_per_step(window);
    if (!wall) return std::nullopt;
    sum += *wall;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

}  // namespace

CampaignFacts facts_over_launches(const CampaignFacts& launch) {
  CampaignFacts facts = launch;
  facts.pooled = true;
  facts.looks = CampaignFacts{}.looks;
  facts.interaction_sd = 0;
  return facts;
}

void append_launch(const CampaignFacts& launch, int before, std::vector<RankRecords> records,
                   std::vector<RankRecords>* pool) {
  const std::int64_t windows = before * windows_per_launch(launch);
  for (RankRecords& rank : records) {
    for (WindowRecord& window : rank.windows) {
      window.block += before * launch.max_blocks;
      window.window.value += windows;
    }
    if (before > 0) {
      std::erase_if(rank.steps, [](const StepRecord& step) { return !step.window; });
      std::erase_if(rank.collectives, [](const CollectiveRecord& one) { return !one.window; });
      std::erase_if(rank.inputs, [](const InputRecord& one) { return !one.window; });
    }
    move_windows(rank.steps, windows);
    move_windows(rank.collectives, windows);
    move_windows(rank.inputs, windows);
    for (DeviceRecord& device : rank.devices) device.window.value += windows;
    RankRecords& slot = slot_of(pool, rank.rank);
    append(std::move(rank.windows), &slot.windows);
    append(std::move(rank.steps), &slot.steps);
    append(std::move(rank.collectives), &slot.collectives);
    append(std::move(rank.devices), &slot.devices);
    append(std::move(rank.inputs), &slot.inputs);
  }
}

std::int64_t windows_per_launch(const CampaignFacts& facts) {
  return static_cast<std::int64_t>(facts.max_blocks) * static_cast<std::int64_t>(facts.arms.size());
}

std::size_t blocks_per_unit(const CampaignFacts& facts) {
  return facts.pooled ? static_cast<std::size_t>(std::max(facts.max_blocks, 1)) : 1;
}

std::optional<double> theta_of_launch(std::span<const BlockPair> blocks, const CampaignFacts& facts,
                                      const GateSpec& gate) {
  std::vector<PairDifference> valid;
  for (const BlockPair& pair : blocks) {
    if (pair.voided()) continue;
    const std::optional<double> ratio = log_ratio_of(pair, facts, gate);
    if (ratio) valid.push_back({*ratio, pair.first()});
  }
  if (static_cast<int>(valid.size()) < kFewestBlocksOfALaunch) return std::nullopt;
  const std::optional<Estimate> estimate = order_adjusted_estimate(valid);
  if (!estimate || !estimate->order_effect) return std::nullopt;
  return estimate->theta;
}

std::vector<PairDifference> launch_units(std::span<const BlockPair> blocks,
                                         const CampaignFacts& facts, const GateSpec& gate) {
  std::vector<PairDifference> units;
  const std::size_t per_launch = blocks_per_unit(facts);
  for (std::size_t first = 0; first + per_launch <= blocks.size(); first += per_launch) {
    const auto theta = theta_of_launch(blocks.subspan(first, per_launch), facts, gate);
    if (theta) units.push_back({*theta, RanFirst::kBaseline});
  }
  return units;
}

std::optional<Finding> too_few_launches(const CampaignFacts& facts, std::size_t launches,
                                        std::size_t valid) {
  const auto first_look =
      facts.looks.empty()
          ? std::size_t{kFewestUnits}
          : static_cast<std::size_t>(*std::min_element(facts.looks.begin(), facts.looks.end()));
  if (launches < first_look) {
    return Finding{Reason::kTooFewUnits, std::to_string(launches) +
                                             " launches are finished; the first verdict needs " +
                                             std::to_string(first_look)};
  }
  if (valid < kFewestUnits) {
    return Finding{Reason::kTooFewUnits,
                   std::to_string(valid) + " valid launches (" + std::to_string(launches - valid) +
                       " void); a verdict needs " + std::to_string(kFewestUnits)};
  }
  if (static_cast<double>(launches - valid) > kVoidedAtMost * static_cast<double>(launches)) {
    return Finding{Reason::kTooFewUnits, std::to_string(launches - valid) + " of " +
                                             std::to_string(launches) +
                                             " launches are void, more than 20 %"};
  }
  return std::nullopt;
}

std::vector<LaunchRow> launch_rows(const CampaignFacts& facts, const CampaignWindows& windows) {
  const auto per_launch = static_cast<int>(blocks_per_unit(facts));
  int launches = 0;
  for (const auto& arm : windows.arms) {
    for (const BlockWindow& window : arm) {
      launches = std::max(launches, window.block / per_launch + 1);
    }
  }
  std::vector<LaunchRow> rows(static_cast<std::size_t>(launches));
  for (int i = 0; i < launches; ++i) {
    LaunchRow& row = rows[static_cast<std::size_t>(i)];
    row.number = i + 1;
    row.blocks = per_launch;
    for (const auto& arm : windows.arms) row.walls.push_back(mean_wall(arm, i, per_launch));
  }
  for (const GateSpec& gate : facts.gates) {
    const GatePairs pairs = pair_blocks(facts, windows, gate);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto blocks = blocks_of(pairs.pairs, i, static_cast<std::size_t>(per_launch));
      rows[i].thetas.push_back(theta_of_launch(blocks, facts, gate));
    }
  }
  return rows;
}

}  // namespace traceml
