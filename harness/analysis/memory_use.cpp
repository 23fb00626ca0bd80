#include "harness/analysis/memory_use.h"

#include <algorithm>
#include <map>

#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

using Records = std::vector<const MemoryRecord*>;  // of one memory, by time

std::string phase_name(const Timeline& timeline, const MemoryRecord& record) {
  const auto phase = phase_at(timeline, record.thread, record.when);
  return phase ? std::string(timeline.name_of(timeline.events.host[*phase])) : "";
}

// A record's phase has seen the level before it, too: a phase may begin at its peak.
void add_peaks(const Timeline& timeline, const TimeRange& window, const Records& records,
               MemoryUse* use) {
  std::map<std::string, std::int64_t> peaks;
  std::int64_t before = 0;
  for (const MemoryRecord* record : records) {
    const std::int64_t level = std::max(before, record->allocated_bytes);
    before = record->allocated_bytes;
    if (record->when < window.begin || record->when >= window.end) continue;
    ++use->records;
    use->peak_allocated_bytes = std::max(use->peak_allocated_bytes, level);
    use->peak_reserved_bytes = std::max(use->peak_reserved_bytes, record->reserved_bytes);
    std::int64_t& peak = peaks[phase_name(timeline, *record)];
    peak = std::max(peak, level);
  }
  for (const auto& [phase, bytes] : peaks) use->phases.push_back({phase, bytes});
  std::stable_sort(use->phases.begin(), use->phases.end(), [](const auto& a, const auto& b) {
    return a.allocated_bytes > b.allocated_bytes;
  });
}

void add_growth(const Selection& selection, const Records& records, MemoryUse* use) {
  for (const Step& step : selection.steps) {
    const auto after =
        std::upper_bound(records.begin(), records.end(), step.when.end,
                         [](Nanos time, const MemoryRecord* one) { return time < one->when; });
    if (after != records.begin()) use->step_end_bytes.push_back((*(after - 1))->allocated_bytes);
  }
  std::vector<std::int64_t> changes;
  for (std::size_t i = 1; i < use->step_end_bytes.size(); ++i) {
    changes.push_back(use->step_end_bytes[i] - use->step_end_bytes[i - 1]);
    if (changes.back() > 0) ++use->rises;
  }
  if (changes.empty()) return;
  std::sort(changes.begin(), changes.end());
  const std::size_t half = changes.size() / 2;
  use->bytes_per_step = changes.size() % 2 == 1
                            ? static_cast<double>(changes[half])
                            : static_cast<double>(changes[half - 1] + changes[half]) / 2;
}

}  // namespace

bool MemoryUse::grows() const {
  const auto ends = static_cast<std::int64_t>(step_end_bytes.size());
  if (ends < kRules.growth_steps + 1) return false;
  if (static_cast<double>(rises) < kRules.growth_rises * static_cast<double>(ends - 1))
    return false;
  const auto grown = static_cast<double>(step_end_bytes.back() - step_end_bytes.front());
  return grown >= kRules.growth_share * static_cast<double>(peak_allocated_bytes);
}

std::vector<MemoryUse> memory_use(const Timeline& timeline, const Selection& selection) {
  const TimeRange window = host_window(timeline, selection);
  std::vector<MemoryUse> all;
  for (MemoryIndex memory = 0; memory < timeline.events.memories.size(); ++memory) {
    Records records;
    for (const MemoryRecord& record : timeline.events.memory) {
      if (record.memory == memory) records.push_back(&record);
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const auto* a, const auto* b) { return a->when < b->when; });
    MemoryUse use;
    use.memory = timeline.events.memories[memory];
    add_peaks(timeline, window, records, &use);
    add_growth(selection, records, &use);
    if (use.records > 0) all.push_back(std::move(use));
  }
  return all;
}

}  // namespace traceml
