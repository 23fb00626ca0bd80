#include "harness/analysis/block_pairs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace traceml {

namespace {

struct Entry {
  int rank = 0;
  const WindowRecord* record = nullptr;
};

void add_record(BlockWindow& window, const Entry& entry) {
  const WindowRecord& record = *entry.record;
  const WindowRecord*& slot = window.records[static_cast<std::size_t>(entry.rank)];
  if (slot != nullptr) return;  // of two records of one window the first counts
  slot = &record;
  if (window.recorded == 0) {
    window.block = record.block;
    window.order = record.order;
    window.window = record.window;
    window.steps = record.steps;
  }
  ++window.recorded;
  window.ranks_agree &= record.order == window.order && record.window == window.window &&
                        record.steps == window.steps;
  if (window.void_reason.empty()) window.void_reason = record.void_reason;
}

std::vector<BlockWindow> group_by_block(std::vector<Entry> entries, std::size_t world_size) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.record->block, a.rank) < std::tie(b.record->block, b.rank);
  });
  std::vector<BlockWindow> blocks;
  for (const Entry& entry : entries) {
    if (blocks.empty() || blocks.back().block != entry.record->block) {
      blocks.emplace_back().records.resize(world_size, nullptr);
    }
    add_record(blocks.back(), entry);
  }
  return blocks;
}

// Whether the rank has a record of this arm in `block` or later.
bool has_from(const std::vector<BlockWindow>& blocks, int rank, int block) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const BlockWindow& window) {
    return window.block >= block && window.records[static_cast<std::size_t>(rank)] != nullptr;
  });
}

bool has_at(const std::vector<BlockWindow>& blocks, int rank, int block) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const BlockWindow& window) {
    return window.block == block && window.records[static_cast<std::size_t>(rank)] != nullptr;
  });
}

}  // namespace

std::optional<Millis> wall_per_step(const WindowRecord* record) {
  if (record == nullptr) return std::nullopt;
  if (record->reported) {
    const bool is_time = std::isfinite(record->reported->count()) && record->reported->count() > 0;
    return is_time ? record->reported : std::nullopt;
  }
  if (record->steps <= 0 || record->end_host <= record->start_host) return std::nullopt;
  return Millis(record->end_host - record->start_host) / static_cast<double>(record->steps);
}

std::optional<Millis> wall_per_step(const BlockWindow& window) {
  std::optional<Millis> slowest;
  for (const WindowRecord* record : window.records) {
    const std::optional<Millis> own = wall_per_step(record);
    if (!own) return std::nullopt;
    slowest = std::max(slowest.value_or(Millis{}), *own);
  }
  return slowest;
}

std::vector<const RankRecords*> by_rank(const CampaignFacts& facts,
                                        const std::vector<RankRecords>& ranks) {
  std::vector<const RankRecords*> slots(static_cast<std::size_t>(std::max(facts.world_size, 0)),
                                        nullptr);
  for (const RankRecords& records : ranks) {
    const int rank = records.rank.value;
    if (rank < 0 || rank >= facts.world_size) continue;
    const RankRecords*& slot = slots[static_cast<std::size_t>(rank)];
    if (slot == nullptr) slot = &records;
  }
  return slots;
}

CampaignWindows tabulate_windows(const CampaignFacts& facts,
                                 const std::vector<const RankRecords*>& ranks) {
  std::vector<std::vector<Entry>> entries(facts.arms.size());
  std::int64_t strays = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank] == nullptr) continue;
    for (const WindowRecord& record : ranks[rank]->windows) {
      const bool known = record.arm.value >= 0 && record.block >= 0 &&
                         static_cast<std::size_t>(record.arm.value) < facts.arms.size();
      if (known) {
        entries[static_cast<std::size_t>(record.arm.value)].push_back(
            {static_cast<int>(rank), &record});
      } else {
        ++strays;
      }
    }
  }
  CampaignWindows windows;
  for (std::vector<Entry>& arm : entries) {
    windows.arms.push_back(group_by_block(std::move(arm), ranks.size()));
  }
  if (strays > 0) {
    windows.warnings.push_back(std::to_string(strays) +
                               " window records belong to no arm of the plan and are left out");
  }
  return windows;
}

GatePairs pair_blocks(const CampaignFacts& facts, const CampaignWindows& windows,
                      const GateSpec& gate) {
  const auto& candidate = windows.arms.at(static_cast<std::size_t>(gate.candidate.value));
  const auto& baseline = windows.arms.at(static_cast<std::size_t>(gate.baseline.value));
  GatePairs result;
  for (std::size_t b = 0; b < candidate.size() && b < baseline.size(); ++b) {
    const bool in_turn =
        candidate[b].block == static_cast<int>(b) && baseline[b].block == static_cast<int>(b);
    if (!in_turn || !candidate[b].complete() || !baseline[b].complete()) break;
    result.pairs.push_back({&candidate[b], &baseline[b]});
  }
  const int next = static_cast<int>(result.pairs.size());
  for (int rank = 0; rank < facts.world_size; ++rank) {
    for (const auto* blocks : {&candidate, &baseline}) {
      const bool hole = !has_at(*blocks, rank, next) && has_from(*blocks, rank, next + 1);
      if (blocks->empty() || (!hole && has_from(*blocks, rank, 0))) continue;
      result.missing.push_back({rank});
      break;
    }
  }
  return result;
}

std::optional<double> log_ratio_of(const BlockPair& pair, const CampaignFacts& facts,
                                   const GateSpec& gate) {
  const std::optional<Millis> candidate = wall_per_step(*pair.candidate);
  const std::optional<Millis> baseline = wall_per_step(*pair.baseline);
  if (!candidate || !baseline) return std::nullopt;
  double ratio = candidate->count() / baseline->count();
  const auto batch = [&](ArmIndex arm) {
    return facts.arms[static_cast<std::size_t>(arm.value)].global_batch;
  };
  const std::int64_t candidate_batch = batch(gate.candidate);
  const std::int64_t baseline_batch = batch(gate.baseline);
  if (candidate_batch != baseline_batch && candidate_batch > 0 && baseline_batch > 0) {
    ratio *= static_cast<double>(baseline_batch) / static_cast<double>(candidate_batch);
  }
  return std::log(ratio);
}

std::vector<PairDifference> differences_where_both_ran(const CampaignFacts& facts,
                                                       const CampaignWindows& windows,
                                                       const GateSpec& gate) {
  std::vector<PairDifference> differences;
  const auto& baselines = windows.arms.at(static_cast<std::size_t>(gate.baseline.value));
  auto other = baselines.begin();
  for (const BlockWindow& own : windows.arms.at(static_cast<std::size_t>(gate.candidate.value))) {
    while (other != baselines.end() && other->block < own.block) ++other;
    if (other == baselines.end()) break;
    if (other->block != own.block || !own.valid() || !other->valid()) continue;
    const BlockPair pair{&own, &*other};
    if (const auto ratio = log_ratio_of(pair, facts, gate)) {
      differences.push_back({*ratio, pair.first()});
    }
  }
  return differences;
}

}  // namespace traceml
