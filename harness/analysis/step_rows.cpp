#include "harness/analysis/step_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace traceml {

namespace {

bool in_order(const StepRecord* a, const StepRecord* b) {
  return key_of(*a) < key_of(*b);
}

bool same_step(const StepRecord* a, const StepRecord* b) {
  return key_of(*a) == key_of(*b);
}

void sort_rows(std::vector<const StepRecord*>& rows) {
  if (!std::is_sorted(rows.begin(), rows.end(), in_order)) {
    std::stable_sort(rows.begin(), rows.end(), in_order);
  }
  rows.erase(std::unique(rows.begin(), rows.end(), same_step), rows.end());
}

std::vector<StepKey> keys_of(const std::vector<const StepRecord*>& rows) {
  std::vector<StepKey> keys;
  keys.reserve(rows.size());
  for (const StepRecord* row : rows) keys.push_back(key_of(*row));
  return keys;
}

void keep_common(std::vector<const StepRecord*>& rows, const std::vector<StepKey>& common) {
  if (rows.size() == common.size()) return;
  std::size_t next = 0;
  std::erase_if(rows, [&](const StepRecord* row) {
    while (next < common.size() && common[next] < key_of(*row)) ++next;
    return next == common.size() || common[next] != key_of(*row);
  });
}

// Steps that lie between the first and last recorded one of a window and are not common.
std::vector<StepGap> gaps_between(const std::vector<StepKey>& recorded,
                                  const std::vector<StepKey>& common) {
  std::vector<StepGap> gaps;
  std::size_t begin = 0;
  std::size_t next = 0;
  while (begin < recorded.size()) {
    const WindowIndex window = recorded[begin].window;
    std::size_t end = begin;
    while (end < recorded.size() && recorded[end].window == window) ++end;
    std::int64_t expected = recorded[begin].step.value;
    for (; next < common.size() && common[next].window == window; ++next) {
      const std::int64_t step = common[next].step.value;
      if (step > expected) gaps.push_back({window, {expected}, {step - 1}});
      expected = step + 1;
    }
    const std::int64_t last = recorded[end - 1].step.value;
    if (expected <= last) gaps.push_back({window, {expected}, {last}});
    begin = end;
  }
  return gaps;
}

}  // namespace

StepKey key_of(const StepRecord& record) {
  return {record.window.value_or(WindowIndex{}), record.step};
}

AlignedRows align_rows(std::span<const Rank> expected, std::vector<RankRows> ranks) {
  AlignedRows aligned;
  std::vector<Rank> wanted(expected.begin(), expected.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const RankRows& a, const RankRows& b) { return a.rank < b.rank; });
  auto next = ranks.begin();
  for (const Rank rank : wanted) {
    while (next != ranks.end() && next->rank < rank) ++next;
    RankRows found{rank, {}};
    for (; next != ranks.end() && next->rank == rank; ++next) {
      found.rows.insert(found.rows.end(), next->rows.begin(), next->rows.end());
    }
    if (found.rows.empty()) {
      aligned.missing.push_back(rank);
    } else {
      aligned.ranks.push_back(std::move(found));
    }
  }
  std::vector<StepKey> recorded;
  for (RankRows& rank : aligned.ranks) {
    sort_rows(rank.rows);
    std::vector<StepKey> keys = keys_of(rank.rows);
    if (&rank == &aligned.ranks.front()) {
      aligned.steps = keys;
      recorded = std::move(keys);
    } else if (keys != aligned.steps || keys != recorded) {
      std::vector<StepKey> common, all;
      std::set_intersection(aligned.steps.begin(), aligned.steps.end(), keys.begin(), keys.end(),
                            std::back_inserter(common));
      std::set_union(recorded.begin(), recorded.end(), keys.begin(), keys.end(),
                     std::back_inserter(all));
      aligned.steps = std::move(common);
      recorded = std::move(all);
    }
  }
  for (RankRows& rank : aligned.ranks) keep_common(rank.rows, aligned.steps);
  aligned.gaps = gaps_between(recorded, aligned.steps);
  return aligned;
}

std::optional<std::int64_t> nanos_on(const std::optional<DualTime>& time, Clock clock) {
  if (!time) return std::nullopt;
  const std::optional<Nanos>& value = clock == Clock::kGpu ? time->device : time->host;
  if (!value || value->count() < 0) return std::nullopt;
  return value->count();
}

std::optional<std::int64_t> step_nanos(const StepRecord& record, Clock clock) {
  const auto wait = nanos_on(record.phases[index_of(Phase::kInputWait)], clock);
  const auto traced = nanos_on(record.phases[index_of(Phase::kTraced)], clock);
  if (!wait || !traced) return std::nullopt;
  return *wait + *traced;
}

std::optional<Phase> first_without_device_time(const StepRecord& record) {
  for (const Phase phase : kAllPhases) {
    const std::optional<DualTime>& time = record.phases[index_of(phase)];
    const bool needed = time || phase == Phase::kInputWait || phase == Phase::kTraced;
    if (needed && !nanos_on(time, Clock::kGpu)) return phase;
  }
  return std::nullopt;
}

}  // namespace traceml
